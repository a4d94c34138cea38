/** The text of a document, with the types of its result and its variables. */
export type Document<Result, Variables> = string & { readonly __types?: (variables: Variables) => Result };

/** Where a formula is wrong, in code points. */
export type Place = Readonly<{ position: number; length: number }>;

/** Why the service did not fulfill a request. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  readonly place: Place | null;
  /** The error code of a mistake in a formula, the part that is wrong, and what could be written there. */
  readonly formulaCode: string;
  readonly part: string;
  readonly expected: readonly string[];

  constructor(status: number, message: string, extensions: Readonly<Record<string, unknown>> = {}) {
    super(message);
    // For a mistake in a formula, `ctx` contains its position.
    const details = { ...extensions, ...(extensions['ctx'] as object | undefined) } as typeof extensions;
    this.name = 'ApiError';
    this.status = status;
    this.code = typeof details['code'] === 'string' ? details['code'] : 'internal';
    this.hint = typeof details['hint'] === 'string' ? details['hint'] : null;
    const { position, length } = details;
    this.place = typeof position === 'number' ? { position, length: typeof length === 'number' ? length : 1 } : null;
    const { type, input, expected } = details;
    this.formulaCode = typeof type === 'string' && type.startsWith('formula.') ? type.slice('formula.'.length) : '';
    const from = this.place?.position ?? 0;
    this.part = typeof input === 'string' ? [...input].slice(from, from + (this.place?.length ?? 0)).join('') : '';
    this.expected = Array.isArray(expected) ? expected.map(String) : [];
  }
}

/** Asks for a new session. @returns whether the same requests may be sent in it */
type AskToSignIn = (signal: AbortSignal | null) => Promise<boolean>;

let askToSignIn: AskToSignIn = () => Promise.resolve(false);

/** Sets who is asked when the service reports that nobody is signed in. */
export function onSignedOut(ask: AskToSignIn): void {
  askToSignIn = ask;
}

/** Reports that the session has ended. @returns whether requests may be sent again */
export function signInAgain(signal: AbortSignal | null = null): Promise<boolean> {
  return askToSignIn(signal);
}

/** A GraphQL response, or an event of a subscription. */
export type Answer = Readonly<{
  data?: unknown;
  errors?: readonly Readonly<{ message: string; extensions?: Readonly<Record<string, unknown>> }>[];
}>;

/**
 * Sends a request to the service as the signed-in user. If the session has ended, it is sent again in the next one.
 *
 * @throws ApiError if there is no reply
 */
export async function send(path: string, init: RequestInit): Promise<Response> {
  const response = await sendOnce(path, init);
  if (response.status !== 401 || !(await signInAgain(init.signal))) return response;
  return send(path, init);
}

/** Sends a request to the service, to a path that is relative to the page. @throws ApiError if there is no reply */
export async function sendOnce(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('X-Vitrine-Console', '1');
  try {
    return await fetch(path, { ...init, headers, credentials: 'same-origin' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'The service does not answer', { code: 'unreachable' });
  }
}

/**
 * Runs a document.
 *
 * @param idempotencyKey identifies its write, which is then done only once, no matter how often it is sent
 * @throws ApiError with the first error of the response
 */
export async function graphql<Result, Variables>(
  document: Document<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
  idempotencyKey?: string,
): Promise<Result> {
  const body = JSON.stringify({ query: document, variables });
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  };
  return read<Result>(await send('../graphql', { method: 'POST', headers, body, ...(signal && { signal }) }), signal);
}

/** Runs a document with one file, as the GraphQL multipart request specification defines. */
export async function graphqlUpload<Result, Variables extends object>(
  document: Document<Result, Variables>,
  name: keyof Variables & string,
  file: File,
): Promise<Result> {
  const form = new FormData();
  form.set('operations', JSON.stringify({ query: document, variables: { [name]: null } }));
  form.set('map', JSON.stringify({ 0: [`variables.${name}`] }));
  form.set('0', file);
  return read<Result>(
    await send('../graphql', { method: 'POST', body: form, headers: { Accept: 'application/json' } }),
  );
}

/** The data of a response that has one answer. @throws ApiError with its first error; the reason of the signal */
export async function read<Result>(response: Response, signal?: AbortSignal): Promise<Result> {
  const answer = (await response.json().catch(() => ({}))) as Answer;
  signal?.throwIfAborted();
  return dataOf<Result>(answer, response.status);
}

/** The data of an answer. @throws ApiError with its first error */
export function dataOf<Result>({ data, errors }: Answer, status: number): Result {
  const [first] = errors ?? [];
  if (first !== undefined) throw new ApiError(status, first.message, first.extensions);
  if (data === undefined || data === null) throw new ApiError(status, `Status ${status}`);
  return data as Result;
}

/** Whether a request was aborted because nobody is waiting for it anymore. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
