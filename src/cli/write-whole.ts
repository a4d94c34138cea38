import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

type Streams = readonly NodeJS.ReadableStream[];
type Options = Readonly<{ mode?: number; signal?: AbortSignal }>;

/**
 * Writes a file under a temporary name beside it and renames it at the end, so that it is never incomplete.
 *
 * @param streams where the bytes come from, and what they pass through
 */
export async function writeWhole(
  path: string,
  streams: Streams,
  { mode = 0o666, signal }: Options = {},
): Promise<void> {
  const draft = `${path}.part`;
  try {
    // A leftover of a killed command may belong to someone else, or be readable by others.
    await rm(draft, { force: true });
    await pipeline([...streams, createWriteStream(draft, { mode, flags: 'wx' })], { ...(signal && { signal }) });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
