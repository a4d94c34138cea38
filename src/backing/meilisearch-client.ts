import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Meilisearch } from 'meilisearch';

/** Meilisearch answered with an error; `code` is its error code. */
class MeilisearchRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'MeilisearchRefusal';
    this.status = status;
    this.code = code;
  }
}

/** Two Meilisearch clients with different timeouts. */
export type MeilisearchClient = Readonly<{
  /** For searches: a caller waits. */
  reader: Meilisearch;
  /** For documents, settings and tasks. */
  writer: Meilisearch;
  close(): void;
}>;

export type MeilisearchAddress = Readonly<{ url: string; key: string | undefined }>;

const timeoutMs = { read: 2_000, write: 120_000 } as const;

/** Opens no connection yet; connections of requests are kept open. */
export function openMeilisearchClient({ url, key }: MeilisearchAddress): MeilisearchClient {
  const options = { keepAlive: true, noDelay: true, maxSockets: 64, timeout: 0 };
  const isSecure = url.startsWith('https:');
  const agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options);
  const clientOf = (timeout: number) =>
    new Meilisearch({
      host: url,
      ...(key !== undefined && { apiKey: key }),
      // The client's default, global fetch, waits 40 ms per request for packets that are not delayed here.
      httpClient: (input, init) => send(input, init, { agent, isSecure, timeout }),
    });
  return { reader: clientOf(timeoutMs.read), writer: clientOf(timeoutMs.write), close: () => agent.destroy() };
}

type Way = Readonly<{ agent: HttpAgent | HttpsAgent; isSecure: boolean; timeout: number }>;
type Input = Parameters<typeof fetch>[0];
type Init = Parameters<typeof fetch>[1];

/** @throws MeilisearchRefusal for an error of Meilisearch; any other error means that it is unavailable. */
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
      // Meilisearch has just closed a kept-alive connection: all our requests are safe to send twice.
      if (sent.reusedSocket && error.code === 'ECONNRESET') send(input, init, way).then(resolve, reject);
      else reject(error);
    });
    sent.on('close', () => clearTimeout(overdue));
    sent.end(body ?? undefined);
  });
}

async function readAnswer(answer: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  const status = answer.statusCode ?? 0;
  if (status < 400) return text === '' ? undefined : JSON.parse(text);
  const { code = '', message = text.slice(0, 500) } = parsed(text);
  // Overloaded, restarting, or a proxy error: retried later.
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

/** The error of Meilisearch that an error contains, if any; the client wraps it. */
export function refusalIn(error: unknown): MeilisearchRefusal | null {
  if (error instanceof MeilisearchRefusal) return error;
  return error instanceof Error && error.cause !== undefined ? refusalIn(error.cause) : null;
}
