import { readForm, ReplyError } from '../rest/index.ts';
import type { RestRequest, UploadedFile } from '../rest/index.ts';

/** What a multipart request asks for: an operation whose variables hold the files. */
export type UploadRequest = Readonly<{
  query: string;
  operationName: string | undefined;
  variables: Readonly<Record<string, unknown>>;
}>;

/** Files of one request; a picture is tagged at a time. */
const maxFiles = 10;

/** Every part is one that we may know: their names stand in the part `map`. */
const anyName: ReadonlySet<string> = Object.assign(new Set<string>(), { has: () => true });

/** Whether a request is sent as the GraphQL multipart request specification says. */
export function isUpload(request: RestRequest): boolean {
  return request.method === 'POST' && /^multipart\/form-data\b/i.test(request.header('content-type') ?? '');
}

/**
 * Reads a request of the GraphQL multipart request specification: `operations`, `map`, and the files.
 * They are held in memory, within the limits of forms, and nowhere else.
 *
 * @throws ReplyError for a form that is none of this kind.
 */
export async function readUpload(request: RestRequest): Promise<UploadRequest> {
  const form = await readForm(request, anyName);
  const operations = readJson(form.get('operations'), 'operations');
  const map = readJson(form.get('map'), 'map');
  const { query, operationName, variables } = operations;
  if (typeof query !== 'string') throw refuse('operations: one operation with a query is expected');
  const holder: Record<string, unknown> = { variables: isObject(variables) ? variables : {} };
  const entries = Object.entries(map);
  if (entries.length > maxFiles) throw refuse(`map: ${maxFiles} files are allowed`);
  for (const [name, places] of entries) {
    const file = form.get(name);
    if (file === undefined || typeof file === 'string') throw refuse(`map: no file is sent as '${name.slice(0, 40)}'`);
    if (!Array.isArray(places)) throw refuse('map: each file has a list of paths');
    for (const path of places) put(holder, String(path).split('.'), file);
  }
  return {
    query,
    operationName: typeof operationName === 'string' ? operationName : undefined,
    variables: holder['variables'] as Record<string, unknown>,
  };
}

/** Puts a file where a null stands for it; nothing else can be reached. */
function put(holder: Record<string, unknown>, path: readonly string[], file: UploadedFile): void {
  let inner: unknown = holder;
  for (const step of path.slice(0, -1)) inner = isHolder(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined;
  const last = path.at(-1) ?? '';
  if (path[0] !== 'variables' || !isHolder(inner) || !Object.hasOwn(inner, last) || inner[last] !== null) {
    throw refuse('map: each path leads to a variable that is null');
  }
  inner[last] = file;
}

type Holder = Record<string, unknown>;
const isObject = (value: unknown): value is Holder =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null;

function readJson(text: unknown, name: string): Holder {
  try {
    const value: unknown = JSON.parse(String(text));
    if (isObject(value)) return value;
  } catch {
    // The complaint is the same.
  }
  throw refuse(`${name}: a JSON object is expected before the files`);
}

function refuse(message: string): ReplyError {
  const hint = 'See the GraphQL multipart request specification';
  return new ReplyError({
    status: 400,
    body: { errors: [{ message, extensions: { code: 'invalid_argument', hint } }] },
  });
}
