import { exchange } from '../raw.ts';
import type { RawReply } from '../raw.ts';
import { keyMark } from './requests.ts';
import type { OddRequest } from './requests.ts';

/** Sends a request as it is; `null` when the server hung up without an answer. */
export async function sendRaw(url: string, key: string, request: OddRequest): Promise<RawReply | null> {
  const { method, target, headers, body } = request;
  const head = [
    `${method} ${target} HTTP/1.1`,
    'Host: localhost',
    ...headers.map(([name, value]) => `${name}: ${value.replace(keyMark, key)}`),
    ...(body === null ? [] : [`Content-Length: ${body.length}`]),
    // Nothing is waited for: no worker runs here.
    'Prefer: wait=0',
    'Connection: close',
  ];
  const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)]);
  const silence = new Promise<null>((resolve) => setTimeout(resolve, 30_000, null).unref());
  return (await Promise.race([exchange(url, bytes), silence]))?.[0] ?? null;
}

/** JSON with numbers by their value: 1.0 is 1, and every digit of an integer counts. */
function read(text: string): unknown {
  if (text === '') return null;
  const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  try {
    return JSON.parse(
      text.replace(token, (part) => (part.startsWith('"') ? part : JSON.stringify(`#${valueOf(part)}`))),
    );
  } catch {
    return text;
  }
}

function valueOf(digits: string): string {
  if (/^-?\d+$/.test(digits)) return String(BigInt(digits));
  const value = Number(digits);
  return Number.isInteger(value) ? String(BigInt(value)) : String(value);
}

type Problem = Readonly<{ type?: string; loc?: unknown[]; input?: unknown }>;

function problemsOf(body: unknown): readonly Problem[] {
  const detail = (body as { detail?: unknown } | null)?.detail;
  return Array.isArray(detail) ? (detail as Problem[]) : [];
}

/** Faults of meaning, which the recorded application does not look for. */
const ofMeaning =
  /^(?:formula\.|too_short$|too_long$|sort_requires_similarity$|page_too_deep$|decode_failed$|source_|invalid_field$)/;

/** A body with places as strings, as the contract has them, and without what only the service can know. */
function comparable(text: string, isOurs: boolean): unknown {
  const body = read(text);
  const problems = problemsOf(body);
  if (problems.length === 0) return body;
  const own = isOurs ? problems.filter(({ type }) => !ofMeaning.test(type ?? '')) : problems;
  return { detail: own.map(withoutPython) };
}

/** Places as strings; of a file its name and size, not what Python keeps of it. */
function withoutPython({ loc, input, ...others }: Problem): Problem {
  const { filename, size, ...more } = (input ?? {}) as Record<string, unknown>;
  const isFile =
    filename !== undefined && size !== undefined && (Object.keys(more).length === 0 || '_max_mem_size' in more);
  return {
    ...others,
    loc: (loc ?? []).map((part) => String(part).replace(/^#/, '')),
    input: isFile ? { filename, size } : input,
  };
}

/** Whether a reply says that the request was understood, whatever came of it. */
function isTaken({ status, body }: RawReply): boolean {
  if ([200, 201, 202, 404, 415].includes(status)) return true;
  const problems = problemsOf(read(body));
  return status === 422 && problems.length > 0 && problems.every(({ type }) => ofMeaning.test(type ?? ''));
}

const show = (reply: RawReply) => ({
  status: reply.status,
  type: reply.headers['content-type'],
  challenge: reply.headers['www-authenticate'],
});

/** What is different and should not be; null for nothing. `recorded` is what the application of the recordings says. */
export function differenceOf(request: OddRequest, recorded: RawReply, ours: RawReply): string | null {
  if (ours.status >= 500) return `failed with ${ours.status}`;
  // An error of Python, or of its parser of HTTP, is no example.
  if (recorded.status >= 500 || recorded.body === 'Invalid HTTP request received.') return null;
  if (request.method === 'OPTIONS' && recorded.status !== 404) {
    return ours.status === 204 && ours.body === '' && 'allow' in ours.headers
      ? null
      : `OPTIONS answered ${ours.status}`;
  }
  // Batches of videos are ours alone.
  if (recorded.status === 405 && /^\/vids(?:\/|%2f)*(?:\?|$)/i.test(request.target) && ours.status !== 405) return null;
  // Python takes a line break at the end of a path for none.
  if (/%0a\/*(?:\?|$)/i.test(request.target)) return null;
  // A slash that is encoded belongs to an id here; there it divides the path.
  if (/^[^?]*%2f/i.test(request.target)) return null;
  // Integers of thousands of digits, and halves of characters in UTF-8, are as much as Python makes of them.
  if (request.body !== null && isPythons(request.body)) return null;
  // A minus behind zeros (0-5) makes a number to pydantic alone.
  if (/(?:[=/]|%20|\+|%09)0[0_]*-/.test(request.target)) return null;
  // A zero among the first four bytes means UTF-16 or UTF-32 to Python.
  if (request.body?.subarray(0, 4).includes(0)) return null;
  if (recorded.status < 300) return isTaken(ours) ? null : `refused with ${ours.status} ${ours.body.slice(0, 300)}`;
  const [theirs, own] = [
    { ...show(recorded), body: comparable(recorded.body, false) },
    { ...show(ours), body: comparable(ours.body, true) },
  ];
  if (request.method === 'HEAD') {
    [theirs.body, own.body] = [null, ours.body === '' ? null : ours.body];
  }
  if (isCombination(recorded)) {
    return ours.status === 400 && ours.body.includes('"invalid_input_combination"')
      ? null
      : 'the combination was not refused';
  }
  const [left, right] = [canonical(theirs), canonical(own)];
  return left === right ? null : `recorded ${left.slice(0, 700)}\n     ours ${right.slice(0, 700)}`;
}

function isPythons(body: Buffer): boolean {
  return /\d{4301}|\xed[\xa0-\xbf]/.test(body.toString('latin1'));
}

function isCombination({ status, body }: RawReply): boolean {
  return status === 400 && body.includes('Exactly one of image');
}

/** JSON with names in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
