import { open, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { SetupError } from '../lib/errors.ts';

type Streams = readonly NodeJS.ReadableStream[];
type Options = Readonly<{ mode?: number; signal?: AbortSignal }>;

/**
 * Writes a file under a temporary name beside it and renames it at the end, so that it is never incomplete.
 *
 * @param streams where the bytes come from, and what they pass through
 * @throws SetupError if another command begins to write the same file meanwhile
 */
export async function writeWhole(
  path: string,
  streams: Streams,
  { mode = 0o666, signal }: Options = {},
): Promise<void> {
  const draft = `${path}.part`;
  // A leftover of a killed command may belong to someone else, or be readable by others.
  await rm(draft, { force: true });
  const file = await open(draft, 'wx', mode);
  const { ino } = await file.stat();
  const isOurs = async () => (await stat(draft).catch(() => null))?.ino === ino;
  try {
    await pipeline([...streams, file.createWriteStream()], { ...(signal && { signal }) });
    if (!(await isOurs()))
      throw new SetupError(`Another command writes ${path}, too. Repeat this one when it has ended.`);
    await rename(draft, path);
  } catch (error) {
    if (await isOurs()) await rm(draft, { force: true });
    throw error;
  }
}
