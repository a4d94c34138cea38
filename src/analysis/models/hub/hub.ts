import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { SetupError } from '../../../lib/errors.ts';
import { httpRequest } from '../../../lib/http-request.ts';
import type { Proxies } from '../../../lib/proxies.ts';
import { readUpTo } from '../../../lib/read-up-to.ts';

export const hubLimits = {
  /** How long a connection may receive nothing. */
  idleMs: 30_000,
  /** Pauses between attempts that receive no bytes; after the last pause, the download fails. */
  pausesMs: [500, 2_000, 5_000] as readonly number[],
  redirects: 5,
  /** Limits of a list of files, in bytes and pages. */
  listBytes: 8 * 2 ** 20,
  pages: 20,
};

/** How to access the Hugging Face hub, or a server with the same API. */
export type Hub = Readonly<{
  /** Without a trailing slash. */
  url: string;
  token: string | undefined;
  proxies: Proxies;
  signal: AbortSignal;
  limits: typeof hubLimits;
}>;

/** A file of a repository, with the digest that the hub states: SHA-256 for large files, that of the Git blob for others. */
export type HubFile = Readonly<{
  path: string;
  bytes: number;
  digest: Readonly<{ kind: 'sha256' | 'git'; hex: string }>;
}>;

/** An error that another attempt may fix: a broken connection, or a busy hub. */
export class HubInterrupted extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HubInterrupted';
  }
}

const treeSchema = z.array(
  z.object({
    type: z.string(),
    path: z.string(),
    size: z.int().min(0),
    oid: z.string().regex(/^[0-9a-f]{40}$/),
    lfs: z.object({ oid: z.string().regex(/^[0-9a-f]{64}$/), size: z.int().min(0) }).optional(),
  }),
);

/** The files of a repository. @throws SetupError */
export async function listRepository(hub: Hub, repository: string): Promise<readonly HubFile[]> {
  const files: HubFile[] = [];
  let next: URL | null = new URL(`${hub.url}/api/models/${repository}/tree/main?recursive=true`);
  for (let page = 0; next !== null && page < hub.limits.pages; page += 1) {
    const url: URL = next;
    const { text, link } = await insist(hub, () => readPage(hub, url, repository));
    files.push(...parseTree(text, hub));
    next = nextPage(link, url);
  }
  return files;
}

async function readPage(hub: Hub, url: URL, repository: string): Promise<{ text: string; link: string }> {
  const answer = await open(hub, url, repository);
  try {
    const bytes = await readUpTo(answer, hub.limits.listBytes, () => strange(hub, 'a list of files that is too long'));
    return { text: bytes.toString(), link: String(answer.headers['link'] ?? '') };
  } catch (error) {
    throw interruption(hub, error);
  } finally {
    answer.destroy();
  }
}

function parseTree(text: string, hub: Hub): HubFile[] {
  try {
    return treeSchema
      .parse(JSON.parse(text))
      .filter(({ type }) => type === 'file')
      .map(({ path, size, oid, lfs }) =>
        lfs === undefined
          ? { path, bytes: size, digest: { kind: 'git', hex: oid } }
          : { path, bytes: lfs.size, digest: { kind: 'sha256', hex: lfs.oid } },
      );
  } catch {
    throw strange(hub, 'something other than a list of files');
  }
}

function strange({ url }: Hub, what: string): SetupError {
  return new SetupError(`${hostOf(url)} answered ${what}. Check MODELS_HUB: it is the address of a Hugging Face hub.`);
}

/** The next page of a list, on the same server. */
function nextPage(link: string, at: URL): URL | null {
  const [, target] = /<([^>]+)>\s*;\s*rel="next"/.exec(link) ?? [];
  if (target === undefined || !URL.canParse(target, at)) return null;
  const next = new URL(target, at);
  return next.origin === at.origin ? next : null;
}

/** Opens a file at a byte offset. @throws SetupError, or HubInterrupted if another attempt may succeed. */
export function openHubFile(hub: Hub, repository: string, path: string, from: number): Promise<IncomingMessage> {
  const url = new URL(`${hub.url}/${repository}/resolve/main/${path.split('/').map(encodeURIComponent).join('/')}`);
  return open(hub, url, `${repository}/${path}`, from > 0 ? { Range: `bytes=${from}-` } : {});
}

/** Follows redirects. */
async function open(
  hub: Hub,
  start: URL,
  what: string,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  let url = start;
  for (let redirects = 0; redirects <= hub.limits.redirects; redirects += 1) {
    const answer = await request(hub, url, headers);
    const { statusCode: status = 0, headers: said } = answer;
    if (status === 200 || status === 206 || status === 416) return answer;
    answer.destroy();
    if (status < 300 || status >= 400 || said.location === undefined) throw refusal(hub, answer, what);
    url = targetOf(hub, url, said.location);
  }
  throw strange(hub, 'too many redirects');
}

/** Sends the token to the hub only: files are often on other servers. */
async function request(hub: Hub, url: URL, more: Record<string, string>): Promise<IncomingMessage> {
  const { proxies, signal, limits, token } = hub;
  const isHub = url.origin === new URL(hub.url).origin;
  const headers = {
    'User-Agent': 'vitrine',
    'Accept-Encoding': 'identity',
    ...(isHub && token !== undefined && { Authorization: `Bearer ${token}` }),
    ...more,
  };
  try {
    return await httpRequest(url, { headers, proxies, idleMs: limits.idleMs, signal });
  } catch (error) {
    throw interruption(hub, error, url);
  }
}

/** The address that a redirect names. @throws SetupError if it is missing or less secure */
function targetOf(hub: Hub, from: URL, location: string): URL {
  const target = URL.canParse(location, from) ? new URL(location, from) : null;
  const allowed = from.protocol === 'https:' ? ['https:'] : ['https:', 'http:'];
  if (target === null || !allowed.includes(target.protocol)) {
    throw strange(hub, 'a redirect to an address that cannot be trusted');
  }
  return target;
}

/** Converts a connection error to one that is worth another attempt; errors with a message of our own stay. */
export function interruption(hub: Hub, error: unknown, url = new URL(hub.url)): unknown {
  if (hub.signal.aborted) return hub.signal.reason;
  if (error instanceof SetupError || error instanceof HubInterrupted) return error;
  const { message, code } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    ECONNRESET: 'the connection was cut',
    ECONNREFUSED: 'nothing is listening there',
    ENOTFOUND: 'no such host',
    EAI_AGAIN: 'its name cannot be resolved',
  };
  return new HubInterrupted(`${url.host} cannot be read: ${reasons[code ?? ''] ?? message}`);
}

const busy: readonly number[] = [408, 429, 500, 502, 503, 504];

/** The error for a refused request. The header X-Error-Code of the hub says more than its status. */
function refusal({ url, token }: Hub, { statusCode = 0, headers }: IncomingMessage, what: string): Error {
  const host = hostOf(url);
  const code = String(headers['x-error-code'] ?? '');
  if (busy.includes(statusCode)) return new HubInterrupted(`${host} answers ${statusCode} for ${what}`);
  if (code === 'GatedRepo' || statusCode === 403) {
    return new SetupError(
      `${host} gives ${what} only to those who have accepted its terms. Accept them on its page, and set HF_TOKEN.`,
    );
  }
  // The hub answers 401, not 404, to anonymous clients if something does not exist.
  if (statusCode === 404 || code.endsWith('NotFound') || (statusCode === 401 && token === undefined)) {
    return new SetupError(`${host} has no ${what}. Check MODELS_HUB, or set HF_TOKEN if it is private.`);
  }
  if (statusCode === 401) return new SetupError(`${host} refuses HF_TOKEN. Create a token that may read ${what}.`);
  return new SetupError(`${host} answers ${statusCode} for ${what}. Check MODELS_HUB.`);
}

export function hostOf(url: string): string {
  return new URL(url).host;
}

/** Retries after interruptions, as often as the limits allow. @throws SetupError in the end */
async function insist<T>(hub: Hub, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      await pauseAfterInterruption(
        hub,
        error,
        tries,
        'Check the connection of this machine, HTTPS_PROXY and MODELS_HUB.',
      );
    }
  }
}

/** Waits before another attempt. @throws the error if it is final; SetupError if no attempts are left. */
export async function pauseAfterInterruption(hub: Hub, error: unknown, tries: number, hint: string): Promise<void> {
  if (!(error instanceof HubInterrupted)) throw error;
  const ms = hub.limits.pausesMs[tries];
  if (ms === undefined) throw new SetupError(`${error.message}. ${hint}`);
  await pause(ms, undefined, { signal: hub.signal });
}
