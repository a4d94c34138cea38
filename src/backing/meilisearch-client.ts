import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Meilisearch } from 'meilisearch';

/** The engine answered, and refused what it was asked; `code` is its own word for why. */
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

/** Ways to a search engine, of which each has its own patience. */
export type MeilisearchClient = Readonly<{
  /** For searches: who asks waits. */
  reader: Meilisearch;
  /** For documents, settings and tasks. */
  writer: Meilisearch;
  close(): void;
}>;

export type MeilisearchAddress = Readonly<{ url: string; key: string | undefined }>;

const patienceMs = { read: 2_000, write: 120_000 } as const;

/** Opens no connection yet; those that requests open are kept. */
export function openMeilisearchClient({ url, key }: MeilisearchAddress): MeilisearchClient {
  const options = { keepAlive: true, noDelay: true, maxSockets: 64, timeout: 0 };
  const isSecure = url.startsWith('https:');
  const agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options);
  const clientOf = (timeout: number) =>
    new Meilisearch({
      host: url,
      ...(key !== undefined && { apiKey: key }),
      // The client's own way, global fetch, waits 40 ms in each request for packets that are not delayed here.
      httpClient: (input, init) => send(input, init, { agent, isSecure, timeout }),
    });
  return { reader: clientOf(patienceMs.read), writer: clientOf(patienceMs.write), close: () => agent.destroy() };
}

type Way = Readonly<{ agent: HttpAgent | HttpsAgent; isSecure: boolean; timeout: number }>;
type Input = Parameters<typeof fetch>[0];
type Init = Parameters<typeof fetch>[1];

/** @throws MeilisearchRefusal for what the engine refuses; any other error says that it is away. */
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
      // A kept connection that the engine closed just now: everything that we send may be sent twice.
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
  // Overloaded, restarting, or something between us and it: to be tried again.
  if (status >= 500 || status === 408 || status === 429) throw new Error(`the engine answered ${status}: ${message}`);
  throw new MeilisearchRefusal(status, code, message);
}

function parsed(text: string): { code?: string; message?: string } {
  try {
    return JSON.parse(text) as { code?: string; message?: string };
  } catch {
    return {};
  }
}

/** What the engine refused, where an error says so; the client wraps it. */
export function refusalIn(error: unknown): MeilisearchRefusal | null {
  if (error instanceof MeilisearchRefusal) return error;
  return error instanceof Error && error.cause !== undefined ? refusalIn(error.cause) : null;
}
