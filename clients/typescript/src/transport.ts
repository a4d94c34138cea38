import { errorOfReply, isCode, VitrineError } from './errors.ts';

export type VitrineOptions = Readonly<{
  /** Address of the service: `https://pictures.example.com`. */
  url: string;
  /** An API key. */
  key: string;
  /** Maximum number of retries; 4 by default. */
  retries?: number;
  /** The longest wait before a retry, in seconds; 60 by default. A longer `Retry-After` is an error at once. */
  maxRetryAfter?: number;
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof fetch;
}>;

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>;

export type Call = Readonly<{
  method?: string;
  query?: Query | undefined;
  /** Sent as JSON. */
  json?: unknown;
  body?: BodyInit | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  signal?: AbortSignal | undefined;
  /** Whether to omit the key: a signed address needs none, and may belong to another server. */
  isKeyless?: boolean;
  /** Whether it may be sent twice. By default, reads and requests with an idempotency key may. */
  isRepeatable?: boolean;
}>;

const accepted = 'application/json, application/problem+json';

/** Sends requests, and retries them if that is safe and may help. */
export class Transport {
  readonly #url: string;
  readonly #key: string;
  readonly #fetch: typeof fetch;
  readonly #maxWait: number;
  readonly retries: number;

  constructor({ url, key, retries = 4, maxRetryAfter = 60, fetch: own }: VitrineOptions) {
    this.#url = url.replace(/\/+$/, '');
    this.#key = key;
    this.#fetch = own ?? globalThis.fetch.bind(globalThis);
    this.#maxWait = maxRetryAfter * 1000;
    this.retries = retries;
  }

  /** Returns the body of a reply. @throws VitrineError */
  async json<T>(path: string, call: Call = {}): Promise<T> {
    const text = await this.#insist(call, async () => {
      const reply = await this.#once(path, call);
      return this.#received(reply.text(), call);
    });
    return JSON.parse(text) as T;
  }

  /** Returns a reply with a status below 400. @throws VitrineError */
  send(path: string, call: Call = {}): Promise<Response> {
    return this.#insist(call, () => this.#once(path, call));
  }

  /** Tries again if that is safe and may help. */
  async #insist<T>(call: Call, attempt: () => Promise<T>): Promise<T> {
    const { method = 'GET', headers } = call;
    const isRepeatable =
      call.isRepeatable ?? (method === 'GET' || method === 'HEAD' || headers?.['Idempotency-Key'] !== undefined);
    for (let retries = 0; ; retries += 1) {
      try {
        return await attempt();
      } catch (error) {
        const wait =
          error instanceof VitrineError && retries < this.retries ? this.#waitOf(error, retries, isRepeatable) : null;
        if (wait === null) throw error;
        await pause(wait, call.signal);
      }
    }
  }

  /** Waits for what arrives over the network. @throws VitrineError `connection_failed` */
  async #received<T>(arriving: Promise<T>, { signal }: Call): Promise<T> {
    try {
      return await arriving;
    } catch (cause) {
      if (signal?.aborted === true) throw cause;
      throw new VitrineError('connection_failed', `${this.#url} cannot be reached`, { cause });
    }
  }

  async #once(path: string, call: Call): Promise<Response> {
    const { method = 'GET', query, json, body, headers, signal, isKeyless = false } = call;
    const request: RequestInit = {
      method,
      headers: {
        ...(!isKeyless && { 'API-Key': this.#key }),
        Accept: accepted,
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
    };
    const sent = json === undefined ? body : JSON.stringify(json);
    if (sent !== undefined) request.body = sent;
    if (signal !== undefined) request.signal = signal;
    const reply = await this.#received(this.#fetch(this.addressOf(path, query), request), call);
    if (reply.status >= 400) throw await errorOfReply(reply);
    return reply;
  }

  /** The URL of a path of the service; a full URL is kept. */
  addressOf(path: string, query?: Query): string {
    const text = query === undefined ? '' : queryText(query);
    return `${path.startsWith('/') ? this.#url : ''}${path}${text === '' ? '' : `?${text}`}`;
  }

  /** Milliseconds until a request is retried; null if it is not. */
  #waitOf(error: VitrineError, attempt: number, isRepeatable: boolean): number | null {
    const { status, retryAfter } = error;
    // A request that was refused by a rate limit was not started, so it may always be sent again.
    const isPassing =
      status === 429 ||
      (isRepeatable && (status === 0 || status === 502 || status === 503 || isCode(error, 'idempotency_key_in_use')));
    if (!isPassing) return null;
    const growing = 250 * 2 ** attempt * (0.5 + Math.random() / 2);
    const wait = retryAfter === undefined ? Math.min(growing, 10_000) : retryAfter * 1000 + Math.random() * 100;
    return wait > this.#maxWait ? null : wait;
  }
}

function queryText(query: Query): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      parts.push(`${name}=${encodeURIComponent(String(each))}`);
    }
  }
  return parts.join('&');
}

/** Waits; rejects with the reason of the signal. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** A key for one write: if the write is sent twice with it, it is applied once. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
