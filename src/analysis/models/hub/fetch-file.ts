import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SetupError } from '../../../lib/errors.ts';
import { digestOfFile } from '../networks.ts';
import { hostOf, HubInterrupted, interruption, openHubFile, pauseAfterInterruption } from './hub.ts';
import type { Hub, HubFile } from './hub.ts';

type FetchedFile = Readonly<{
  repository: string;
  file: HubFile;
  /** Where it is stored. */
  to: string;
  /** Called with the number of bytes stored so far. */
  onProgress: (bytes: number) => void;
}>;

/**
 * Downloads a file of the hub. A complete file is kept; an interrupted download resumes where it stopped, even in a
 * later run: the file gets its final name only when it is complete and its digest is right.
 *
 * @throws SetupError
 */
export async function fetchHubFile(hub: Hub, fetched: FetchedFile): Promise<void> {
  const { file, to, onProgress } = fetched;
  if (await hasDigest(to, file)) return onProgress(file.bytes);
  await mkdir(dirname(to), { recursive: true });
  const partial = partialOf(to, file);
  const isResumed = (await sizeOf(partial)) > 0;
  await complete(hub, fetched, partial);
  // Model files are large: each content is hashed once.
  let isWhole = await hasDigest(partial, file);
  if (!isWhole && isResumed) {
    // What an earlier run left may have been damaged.
    await rm(partial, { force: true });
    await complete(hub, fetched, partial);
    isWhole = await hasDigest(partial, file);
  }
  if (!isWhole) {
    await rm(partial, { force: true });
    const what = `${fetched.repository}/${file.path}`;
    throw new SetupError(
      `What arrived as ${what} has a digest other than ${hostOf(hub.url)} states, and was removed. Run the command again.`,
    );
  }
  await rename(partial, to);
}

/**
 * The name of an incomplete file. It contains the digest, so that a download of other content does not resume this
 * one.
 */
export function partialOf(to: string, { digest }: HubFile): string {
  return `${to}.${digest.hex.slice(0, 12)}.part`;
}

/** Appends missing bytes until the file is complete. Only consecutive attempts that receive no byte are counted. */
async function complete(hub: Hub, fetched: FetchedFile, partial: string): Promise<void> {
  const { file } = fetched;
  let tries = 0;
  for (;;) {
    const before = await sizeOf(partial);
    if (before === file.bytes) return;
    try {
      await appendRest(hub, fetched, partial, before > file.bytes ? 0 : before);
      if ((await sizeOf(partial)) === file.bytes) return;
      throw new HubInterrupted(`${hostOf(hub.url)} ended the answer early`);
    } catch (error) {
      const after = await sizeOf(partial);
      tries = after > before ? 0 : tries;
      const percent = Math.floor((100 * after) / file.bytes);
      const hint = `${percent} % of ${file.path} is here: run the command again to resume.`;
      await pauseAfterInterruption(hub, error, tries, hint);
      tries += 1;
    }
  }
}

async function appendRest(hub: Hub, fetched: FetchedFile, partial: string, from: number): Promise<void> {
  const { repository, file, onProgress } = fetched;
  const answer = await openHubFile(hub, repository, file.path, from);
  let handle: FileHandle | undefined;
  try {
    // The requested range does not exist: the file on the hub has changed.
    if (answer.statusCode === 416) await rm(partial, { force: true });
    const start = startOf(answer, from);
    let bytes = start;
    // Each part is written before the next is read, so that an interruption loses nothing that has arrived.
    handle = await open(partial, start === 0 ? 'w' : 'a');
    for await (const part of answer as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > file.bytes) {
        throw new SetupError(`${file.path} is larger than ${hostOf(hub.url)} states. Run the command again.`);
      }
      await handle.writeFile(part);
      onProgress(bytes);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).path !== undefined) throw error;
    throw toStorageFault(error, partial) ?? interruption(hub, error);
  } finally {
    answer.destroy();
    await handle?.close();
  }
}

/** The offset at which an answer starts: servers that do not support ranges send the whole file. */
function startOf({ statusCode, headers }: IncomingMessage, from: number): number {
  if (statusCode === 200) return 0;
  const [, start] = /^bytes (\d+)-/.exec(headers['content-range'] ?? '') ?? [];
  if (statusCode === 206 && Number(start) === from) return from;
  throw new HubInterrupted('the server answered another part of the file than was requested');
}

/** System errors of a disk that accepts no more bytes, in words. */
const storageFaults: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EFBIG: 'the file is too large for its file system',
  EIO: 'the disk has an error',
};

/** Null for connection errors, and for file errors that already name their path. */
function toStorageFault(error: unknown, path: string): SetupError | null {
  const why = storageFaults[(error as NodeJS.ErrnoException).code ?? ''];
  return why === undefined
    ? null
    : new SetupError(`${path} cannot be written: ${why}. Free some space, or set MODELS_DIR to another folder.`);
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0;
}

async function hasDigest(path: string, { bytes, digest }: HubFile): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found?.size !== bytes) return false;
  return digest.hex === (digest.kind === 'sha256' ? await digestOfFile(path) : await gitBlobOf(path, bytes));
}

/** Git's name for a file: the SHA-1 of its type, its length and its content. */
async function gitBlobOf(path: string, bytes: number): Promise<string> {
  const hash = createHash('sha1').update(`blob ${bytes}\0`);
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
