import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Readable } from 'node:stream';
import type { ApiRequest } from '../lib/http-contract.ts';
import type { ActiveTenants } from '../lib/active-tenants.ts';
import { ClientGone } from '../lib/errors.ts';
import type { FairSemaphore, Release } from '../lib/fair-semaphore.ts';
import { observeRequest, unmatched, workedOn, workOn } from '../observability/metrics/index.ts';
import type { JsonLimits } from '../lib/json/index.ts';
import { fixedHeaders, requestIdOf } from './reply/base-headers.ts';
import { jsonFactor } from './request/body-budget.ts';
import type { BodyBudget, BudgetOwner } from './request/body-budget.ts';
import { isCoded } from './request/content-coding.ts';
import type { Cors } from './reply/cors.ts';
import type { Marked } from './connection/in-progress.ts';
import type { Limits } from './limits.ts';
import { TimeSlice } from '../lib/time-slice.ts';
import { readBody, readPieces, smallBytes } from './request/read-body.ts';
import type { Grow } from './request/read-body.ts';
import { graphqlPath, pathOf, targetOf } from './request/routes.ts';
import { sessionOf } from './request/session-cookie.ts';
import type { UnreadReplies } from './connection/unread-replies.ts';

/** State shared by all exchanges of a server. */
export type HttpSettings = Readonly<{
  limits: Limits;
  cors: Cors | null;
  /** Fires when clients should use another process: replies end their connections. */
  draining: AbortSignal;
  /** Fires when no new requests are accepted. */
  stopping: AbortSignal;
  /** Fires when waiting requests should answer with what they have so far. */
  hurry: AbortSignal;
  /** Fires when bodies that are still arriving are refused. */
  cut?: AbortSignal | undefined;
  /** Memory for bodies. */
  bodies: BodyBudget;
  /** Slots for large JSON bodies. */
  largeBodies: FairSemaphore;
  /** Memory for replies until they are read. */
  unread: UnreadReplies;
  /** The tenants that are currently being served. */
  activeTenants: ActiveTenants;
}>;

/** Headers that are lists, so that several of one name are one list (RFC 9110, 5.3). */
const lists: ReadonlySet<string> = new Set(['accept', 'if-match', 'if-none-match', 'prefer']);

/** Maximum bytes held at once of a body that is streamed. */
const streamedBytes = 8 * 2 ** 20;
/** How much of it may wait to be read: with less, the connection would pause for nearly every piece. */
const waitingBytes = 2 ** 20;

/** Limits for passing a body on: its maximum size, and how much of it is held at once. */
type PassOn = Readonly<{ bodyBytes?: number; heldBytes?: number }>;

/**
 * One request and its reply. A class because one is created per request: methods cost nothing, while each closure
 * would be an allocation.
 */
export class Exchange implements ApiRequest {
  readonly method: string;
  readonly target: string;
  readonly requestId: string;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly settings: HttpSettings;
  route = unmatched;
  /** Status of the reply, once its head was written. */
  status = 0;
  /** Tenant and key of the request; null until known. No body is read before then. */
  budgetOwner: BudgetOwner | null = null;
  readonly #began = performance.now();
  #gone: AbortController | undefined;
  #added: string[] | undefined;
  /** Functions to call when the reply has ended. */
  #atEnd: (() => void)[] | undefined;
  /** The stream that the body is read from. */
  #body: Readable | undefined;
  /** Returns the slot of a large body. */
  #releaseSlot: Release | undefined;

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

  /** Whether the request is for GraphQL, where refusals have a different form. */
  get isGraphQL(): boolean {
    return pathOf(this.target) === graphqlPath;
  }

  /** Sets the owner of the key. @throws AppError while too many replies to that tenant are unread. */
  chargeTo(budgetOwner: BudgetOwner): void {
    this.budgetOwner = budgetOwner;
    this.settings.activeTenants.note(budgetOwner.tenantId);
    this.settings.unread.admit(this.incoming.socket, budgetOwner.tenantId);
  }

  /** The first header of this name (lower case), or all of a list, without surrounding blanks. */
  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    if (Array.isArray(value)) return value[0];
    if (value === undefined || !value.includes(',') || lists.has(name)) return value?.trim();
    return this.incoming.headersDistinct[name]?.[0]?.trim();
  }

  /**
   * The credential: the API key, or else the session of a signed-in browser.
   *
   * @throws ReplyError 403 for a session that a page of another site sent
   */
  get credential(): string | undefined {
    return this.header('api-key') || sessionOf(this);
  }

  /**
   * Reads the whole body. Its memory is released when the reply has ended. @param check receives each piece of a long body
   * as it arrives.
   */
  async readBody(check?: (piece: Buffer) => void): Promise<Buffer> {
    const grow = await this.#takeMemory(jsonFactor, Infinity, true);
    const inSlices = check === undefined || grow !== null ? check : this.inSlices(check);
    const { limits, cut } = this.settings;
    const body = await readBody(this.incoming, this.outgoing, limits, { grow, cut, check: inSlices });
    workOn(this);
    return body;
  }

  /** Returns a consumer that takes pieces of the body no faster than the time slices of the tenant allow. */
  inSlices(check: (piece: Buffer) => void = () => {}): (piece: Buffer) => void {
    const slice = new TimeSlice(this.tenantId);
    return (piece) => {
      check(piece);
      if (!slice.isOver || this.incoming.isPaused()) return;
      this.incoming.pause();
      void slice.pause().then(() => this.incoming.resume());
    };
  }

  async readPieces(take: (piece: Buffer) => void): Promise<void> {
    await this.#readPieces(take);
  }

  async #readPieces(take: (piece: Buffer) => void, bodyBytes?: number, heldBytes?: number): Promise<void> {
    const { limits: standard } = this.settings;
    const limits = bodyBytes === undefined ? standard : { ...standard, bodyBytes };
    const grow = await this.#takeMemory(1, heldBytes);
    const onSource = (source: Readable) => void (this.#body = source);
    await readPieces(this.incoming, this.outgoing, limits, take, { grow, onSource, cut: this.settings.cut });
    workOn(this);
  }

  /**
   * The body as it arrives, no faster than it is read, and of any length: memory is reserved only for the part that
   * its reader holds at once. A reader that ends the stream receives no more.
   */
  streamBody(): PassThrough {
    // In object mode, because otherwise waiting pieces are copied into one.
    const body = new PassThrough({ writableHighWaterMark: waitingBytes, readableObjectMode: true });
    // Its reader may start later, after database statements, and receives the error then.
    body.on('error', () => {});
    this.passOn(body, { bodyBytes: Infinity, heldBytes: streamedBytes }).catch((error: Error) => body.destroy(error));
    return body;
  }

  /** Writes the body to a stream, no faster than it is read from there. @throws what `readPieces` does. */
  async passOn(body: PassThrough, { bodyBytes, heldBytes }: PassOn = {}): Promise<void> {
    const goOn = () => this.#body?.resume();
    body.on('drain', goOn).once('close', goOn);
    const take = (piece: Buffer) => {
      if (body.writable && !body.write(piece)) this.#body?.pause();
    };
    await this.#readPieces(take, bodyBytes, heldBytes);
    body.end();
  }

  /**
   * Reserves memory for the announced body. For a body of unknown length, such as a compressed one, reserves little
   * and returns a function that reserves more.
   */
  async #takeMemory(factor: number, heldBytes = Infinity, isWhole = false): Promise<Grow | null> {
    const { limits } = this.settings;
    const {
      'content-length': length,
      'content-encoding': coding,
      'transfer-encoding': transfer,
    } = this.incoming.headers;
    const isUnknown = isCoded(coding) || transfer !== undefined;
    const bytes = Math.min(heldBytes, isUnknown ? smallBytes / jsonFactor : Number(length ?? 0));
    if (bytes > 0 && bytes <= limits.bodyBytes) await this.#take(bytes * factor, isWhole); // A longer one is refused at once.
    return isUnknown ? () => this.#take(Math.min(heldBytes, limits.bodyBytes) * factor, isWhole) : null;
  }

  async #take(bytes: number, isWhole: boolean): Promise<void> {
    const { budgetOwner: owner, settings } = this;
    if (owner === null) throw new Error('a body was read before authentication');
    if (isWhole && bytes > smallBytes) {
      this.#releaseSlot = await settings.largeBodies.acquire(owner.tenantId, this.signal);
      this.whenSent(this.#releaseSlot);
    }
    this.whenSent(await settings.bodies.take(owner, bytes, () => this.signal));
  }

  bodyHandled(): void {
    this.#releaseSlot?.();
  }

  get tenantId(): number | undefined {
    return this.budgetOwner?.tenantId;
  }

  whenSent(act: () => void): void {
    if (this.outgoing.destroyed) return act();
    if (this.#atEnd === undefined) {
      // A single listener for all of them: a body of unknown length reserves memory several times.
      const acts: (() => void)[] = (this.#atEnd = []);
      this.outgoing.once('close', () => acts.forEach((each) => each()));
    }
    this.#atEnd.push(act);
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

  /** Fires when the client has disconnected, or when the service is about to stop. */
  get signal(): AbortSignal {
    return (this.#gone ??= this.#watchForEnd()).signal;
  }

  #watchForEnd(): AbortController {
    const controller = new AbortController();
    const { outgoing } = this;
    const { hurry } = this.settings;
    // A closed reply emits no further event, and the listener on `hurry` would never be removed.
    if (hurry.aborted || outgoing.destroyed) {
      controller.abort(hurry.aborted ? hurry.reason : new ClientGone());
      return controller;
    }
    const onHurry = () => {
      outgoing.removeListener('close', onClose);
      controller.abort(hurry.reason);
    };
    const onClose = () => {
      hurry.removeEventListener('abort', onHurry);
      // A reply that was sent in full leaves no work to cancel.
      if (!outgoing.writableFinished) controller.abort(new ClientGone());
    };
    hurry.addEventListener('abort', onHurry, { once: true });
    outgoing.once('close', onClose);
    return controller;
  }

  /** Counts the request and sends status and headers; while draining, the connection ends with this reply. */
  startReply(status: number, lines: readonly string[]): ServerResponse {
    const { draining, stopping } = this.settings;
    this.status = status;
    workedOn(this);
    observeRequest(this.method, this.route, status, this.#began);
    if (draining.aborted || stopping.aborted) this.outgoing.shouldKeepAlive = false;
    return this.outgoing.writeHead(status, lines as string[]);
  }

  /** The `Vary` header: the given headers, and the origin if replies depend on it. */
  vary(names: string): readonly ['Vary', string] {
    return ['Vary', this.settings.cors?.varies ? `${names}, Origin` : names];
  }

  /** Headers of every reply to this request, alternating names and values. */
  headers(): string[] {
    const { cors } = this.settings;
    const own = ['X-Request-Id', this.requestId, ...fixedHeaders];
    if (this.#added !== undefined) own.push(...this.#added);
    return cors === null ? own : own.concat(cors.headersFor(this.incoming.headers.origin));
  }
}
