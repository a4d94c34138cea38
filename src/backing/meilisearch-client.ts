import { hash } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { Meilisearch } from 'meilisearch';
import { plainUrl } from '../lib/plain-url.ts';

/** Meilisearch replied with an error; `code` is its error code. */
export class MeilisearchRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'MeilisearchRefusal';
    this.status = status;
    this.code = code;
  }
}

/** A Meilisearch server, with two clients that differ in their timeouts. */
export type MeilisearchMember = Readonly<{
  /** Its address without credentials, which identifies it in the database. */
  name: string;
  /** What the other members call it as a remote. Depends on the key, so that a new key means a new remote. */
  remote: string;
  url: string;
  key: string | undefined;
  /** For searches, which somebody is waiting for. */
  reader: Meilisearch;
  /** For documents, settings and tasks. */
  writer: Meilisearch;
}>;

/** The Meilisearch servers that share the documents; usually there is only one. */
export type MeilisearchClient = Readonly<{
  members: readonly [MeilisearchMember, ...MeilisearchMember[]];
  close(): void;
}>;

export type MeilisearchAddresses = Readonly<{ urls: readonly [string, ...string[]]; key: string | undefined }>;

const timeoutMs = { read: 2_000, write: 120_000 } as const;

/** Creates the clients. Does not connect yet; connections are kept alive between requests. */
export function openMeilisearchClient({ urls: [url, ...others], key }: MeilisearchAddresses): MeilisearchClient {
  const agents = new Set<HttpAgent | HttpsAgent>();
  const members = [openMember(url, key, agents), ...others.map((each) => openMember(each, key, agents))] as const;
  return { members, close: () => agents.forEach((agent) => agent.destroy()) };
}

function openMember(url: string, key: string | undefined, agents: Set<HttpAgent | HttpsAgent>): MeilisearchMember {
  const options = { keepAlive: true, noDelay: true, maxSockets: 64, timeout: 0 };
  const isSecure = url.startsWith('https:');
  const agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options);
  agents.add(agent);
  const clientOf = (timeout: number) =>
    new Meilisearch({
      host: url,
      ...(key !== undefined && { apiKey: key }),
      // The client's default, global fetch, loses 40 ms per request to delayed packets; our agents turn that delay
      // off.
      httpClient: (input, init) => send(input, init, { agent, isSecure, timeout }),
    });
  const remote = `vitrine-${hash('sha256', `${url} ${key ?? ''}`).slice(0, 16)}`;
  return { name: plainUrl(url), remote, url, key, reader: clientOf(timeoutMs.read), writer: clientOf(timeoutMs.write) };
}

type Way = Readonly<{ agent: HttpAgent | HttpsAgent; isSecure: boolean; timeout: number }>;
type Input = Parameters<typeof fetch>[0];
type Init = Parameters<typeof fetch>[1];

/** @throws MeilisearchRefusal if Meilisearch reports an error; any other error means that it is unavailable. */
function send(input: Input, init: Init, way: Way): Promise<unknown> {
  const { agent, isSecure, timeout } = way;
  return new Promise((resolve, reject) => {
    const body = typeof init?.body === 'string' ? Buffer.from(init.body) : null;
    const headers = Object.fromEntries(new Headers(init?.headers));
    if (body !== null) headers['content-length'] = String(body.length);
    const begin = isSecure ? httpsRequest : httpRequest;
    const sent: ClientRequest = begin(
      input instanceof URL ? input : new URL(String(input)),
      { method: init?.method ?? 'GET', headers, agent },
      (answer) => readAnswer(answer).then(resolve, reject),
    );
    const overdue = setTimeout(() => sent.destroy(new Error(`no answer in ${timeout} ms`)), timeout);
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // Meilisearch has just closed a kept-alive connection. All our requests can safely be sent twice.
      if (sent.reusedSocket && error.code === 'ECONNRESET') send(input, init, way).then(resolve, reject);
      else reject(error);
    });
    sent.on('close', () => clearTimeout(overdue));
    sent.end(body ?? undefined);
  });
}

async function readAnswer(answer: IncomingMessage): Promise<unknown> {
  const body = await text(answer);
  const status = answer.statusCode ?? 0;
  if (status < 400) return body === '' ? undefined : JSON.parse(body);
  const { code = '', message = body.slice(0, 500) } = parsed(body);
  // Overloaded, restarting, or an error of a proxy: will be retried.
  if (status >= 500 || status === 408 || status === 429) throw new Error(`Meilisearch answered ${status}: ${message}`);
  throw new MeilisearchRefusal(status, code, message);
}

function parsed(text: string): { code?: string; message?: string } {
  try {
    return JSON.parse(text) as { code?: string; message?: string };
  } catch {
    return {};
  }
}

/** The error of Meilisearch that is inside another error, if any: the client wraps it. */
export function refusalIn(error: unknown): MeilisearchRefusal | null {
  if (error instanceof MeilisearchRefusal) return error;
  return error instanceof Error && error.cause !== undefined ? refusalIn(error.cause) : null;
}
