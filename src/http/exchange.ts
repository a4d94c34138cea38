import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { ApiRequest } from '../lib/http-contract.ts';
import { ClientGone } from '../lib/errors.ts';
import { activeTenants, observeRequest, unmatched, workedOn, workOn } from '../observability/metrics/index.ts';
import type { JsonLimits } from '../lib/json/index.ts';
import { fixedHeaders, requestIdOf } from './base-headers.ts';
import { jsonFactor } from './body-budget.ts';
import type { BodyBudget, BudgetOwner } from './body-budget.ts';
import { isCoded } from './content-coding.ts';
import type { Cors } from './cors.ts';
import type { Marked } from './in-progress.ts';
import type { Limits } from './limits.ts';
import { readBody, readPieces, smallBytes } from './read-body.ts';
import type { Grow } from './read-body.ts';
import { graphqlPath, pathOf, targetOf } from './routes.ts';
import { sessionOf } from './session-cookie.ts';
import type { UnreadReplies } from './unread-replies.ts';

/** What every exchange of a server has in common. */
export type HttpSettings = Readonly<{
  limits: Limits;
  cors: Cors | null;
  /** Fires when requests should come elsewhere: replies end their connections. */
  draining: AbortSignal;
  /** Fires when no new requests are taken. */
  stopping: AbortSignal;
  /** Fires when requests that wait for something should answer with what they have. */
  hurry: AbortSignal;
  /** Memory for bodies. */
  bodies: BodyBudget;
  /** Memory that replies take until they are read. */
  unread: UnreadReplies;
}>;

const noHeaders: readonly string[] = [];

/**
 * One request and its reply. A class, because it is made for each request: its methods cost nothing
 * where closures would each be an allocation.
 */
export class Exchange implements ApiRequest {
  readonly method: string;
  readonly target: string;
  readonly requestId: string;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly settings: HttpSettings;
  route = unmatched;
  /** Of its reply, once the head is written. */
  status = 0;
  /** Whose key came with the request; null until that is known. Nobody's body is read before. */
  budgetOwner: BudgetOwner | null = null;
  readonly #began = performance.now();
  #gone: AbortController | undefined;
  #added: string[] | undefined;
  /** What the pieces of the body come from. */
  #body: Readable | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, settings: HttpSettings) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.settings = settings;
    this.method = incoming.method ?? 'GET';
    this.target = targetOf(incoming.url ?? '/');
    this.requestId = requestIdOf(incoming.headers['x-request-id']);
    const marked = outgoing as ServerResponse & Marked;
    marked.requestId = this.requestId;
    marked.began = this.#began;
    workOn(this);
  }

  /** Whether GraphQL is asked, whose refusals have a form of their own. */
  get isGraphQL(): boolean {
    return pathOf(this.target) === graphqlPath;
  }

  /** Says whose key came with the request. @throws AppError while too many replies wait for readers of that tenant. */
  chargeTo(budgetOwner: BudgetOwner): void {
    this.budgetOwner = budgetOwner;
    activeTenants.note(budgetOwner.tenantId);
    this.settings.unread.admit(this.incoming.socket, budgetOwner.tenantId);
  }

  /** The first header of this name (lower case), without blanks around it. */
  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    if (typeof value !== 'string' || !value.includes(',')) return Array.isArray(value) ? value[0] : value?.trim();
    return this.incoming.headersDistinct[name]?.[0]?.trim();
  }

  /**
   * What says who asks: the API key, or else the session of a browser that is signed in.
   *
   * @throws ReplyError 403 where a session is sent by a page that is none of ours
   */
  get credential(): string | undefined {
    return this.header('api-key') || sessionOf(this);
  }

  /** The whole body. Its memory is given back when the reply has ended. */
  async readBody(): Promise<Buffer> {
    const grow = await this.#takeMemory(jsonFactor);
    const body = await readBody(this.incoming, this.outgoing, this.settings.limits, grow);
    workOn(this);
    return body;
  }

  async readPieces(take: (piece: Buffer) => void): Promise<void> {
    const grow = await this.#takeMemory(1);
    const onSource = (source: Readable) => void (this.#body = source);
    await readPieces(this.incoming, this.outgoing, this.settings.limits, take, { grow, onSource });
    workOn(this);
  }

  /** Lets no more of the body come; only while its pieces are read. */
  pauseBody(): void {
    this.#body?.pause();
  }

  resumeBody(): void {
    this.#body?.resume();
  }

  /** Takes memory for the body that is announced. For one of unknown length, as coded ones are, it takes little, and gives how to take more. */
  async #takeMemory(factor: number): Promise<Grow | null> {
    const { limits } = this.settings;
    const {
      'content-length': length,
      'content-encoding': coding,
      'transfer-encoding': transfer,
    } = this.incoming.headers;
    const isUnknown = isCoded(coding) || transfer !== undefined;
    const bytes = isUnknown ? smallBytes / jsonFactor : Number(length ?? 0);
    if (bytes > 0 && bytes <= limits.bodyBytes) await this.#take(bytes * factor); // A longer one is refused at once.
    return isUnknown ? () => this.#take(limits.bodyBytes * factor) : null;
  }

  async #take(bytes: number): Promise<void> {
    if (this.budgetOwner === null) throw new Error('a body was read before authentication');
    this.whenSent(await this.settings.bodies.take(this.budgetOwner, bytes, () => this.signal));
  }

  get tenantId(): number | undefined {
    return this.budgetOwner?.tenantId;
  }

  whenSent(act: () => void): void {
    if (this.outgoing.destroyed) act();
    else this.outgoing.once('close', act);
  }

  get address(): string | null {
    return this.incoming.socket.remoteAddress ?? null;
  }

  setHeader(name: string, value: string): void {
    (this.#added ??= []).push(name, value);
  }

  get jsonLimits(): JsonLimits {
    const { jsonValues: values, jsonValueBytes: valueBytes } = this.settings.limits;
    return { values, valueBytes };
  }

  /** Fires when the client has gone, or the service wants to stop. */
  get signal(): AbortSignal {
    return (this.#gone ??= this.#watchForEnd()).signal;
  }

  #watchForEnd(): AbortController {
    const controller = new AbortController();
    const { outgoing } = this;
    const { hurry } = this.settings;
    // A reply that is closed already will not say so again, and a listener to `hurry` would stay for good.
    if (hurry.aborted || outgoing.destroyed) {
      controller.abort(hurry.aborted ? hurry.reason : new ClientGone());
      return controller;
    }
    const abort = (reason: unknown) => {
      hurry.removeEventListener('abort', onHurry);
      outgoing.removeListener('close', onClose);
      controller.abort(reason);
    };
    const onHurry = () => abort(hurry.reason);
    const onClose = () => abort(new ClientGone());
    hurry.addEventListener('abort', onHurry);
    outgoing.once('close', onClose);
    return controller;
  }

  /** Counts the request, and sends status and headers; the connection ends with the reply where requests should come elsewhere. */
  startReply(status: number, lines: readonly string[]): ServerResponse {
    const { draining, stopping } = this.settings;
    this.status = status;
    workedOn(this);
    observeRequest(this.method, this.route, status, this.#began);
    if (draining.aborted || stopping.aborted) this.outgoing.shouldKeepAlive = false;
    return this.outgoing.writeHead(status, lines as string[]);
  }

  /** The header that names what a reply differs by: these headers, and the origin where it decides what is sent. */
  vary(names: string): readonly ['Vary', string] {
    return ['Vary', this.settings.cors?.varies ? `${names}, Origin` : names];
  }

  /** Headers that every reply to this request carries, name and value in turns. */
  headers(): string[] {
    const { cors } = this.settings;
    const own = ['X-Request-Id', this.requestId, ...fixedHeaders];
    if (this.#added !== undefined) own.push(...this.#added);
    return cors === null ? own : own.concat(cors.headersFor(this.incoming.headers.origin) ?? noHeaders);
  }
}
