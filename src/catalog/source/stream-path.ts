import { closeSync } from 'node:fs';
import { rangeOf } from '../../lib/byte-range.ts';
import { openFile, pathUnreachable, readAt } from './read-path.ts';
import type { AskedPart, SourceStream } from './source-stream.ts';

/** Bytes per read. */
const pieceBytes = 256 * 1024;

/**
 * Opens a file below one of `roots`, or a part of it, to forward it. The file may have any size, because only a few
 * of its bytes are in memory at a time.
 *
 * @throws ElementError as `readPath` does.
 */
export async function streamPath(srcPath: string, roots: readonly string[], asked: AskedPart): Promise<SourceStream> {
  const { file, size, changedMs } = await openFile(srcPath, roots);
  const tag = `"${size.toString(36)}-${Math.round(changedMs).toString(36)}"`;
  const part = rangeOf(asked.range, asked.condition, { length: size, tag });
  const { start, end } = part === null || part === 'unsatisfiable' ? { start: 0, end: size } : part;
  let reading: Promise<Buffer> | null = null;

  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (let at = start; at < end; at += pieceBytes) {
      const length = Math.min(pieceBytes, end - at);
      const piece = await (reading = readAt(file, at, length));
      if (piece.length < length) throw pathUnreachable('it changed while it was being read');
      yield piece;
    }
  }

  return {
    size,
    tag,
    part,
    hasParts: true,
    bytes,
    async close() {
      // If a descriptor is closed during a read, another file may get it.
      await reading?.catch(() => {});
      closeSync(file);
    },
  };
}
