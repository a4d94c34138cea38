import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TimeSlice } from '../lib/time-slice.ts';
import { chooseEncoding, compressing } from './compression.ts';
import type { Exchange } from './exchange.ts';

/**
 * Writes a long text whose pieces are made as the client takes them; between two of them other requests run.
 * Ends without a word where the client goes.
 *
 * @throws what `pieces` throws, when the head is out already.
 */
export async function sendPieces(
  exchange: Exchange,
  status: number,
  lines: string[],
  pieces: Iterable<string>,
): Promise<void> {
  const encoding = chooseEncoding(exchange.incoming.headers['accept-encoding'] as string | undefined);
  if (encoding !== 'identity') lines.push('Content-Encoding', encoding);
  const outgoing = exchange.startReply(status, lines);
  if (exchange.method === 'HEAD') return void outgoing.end();
  const source = Readable.from(inSlices(pieces), { objectMode: false });
  const sending =
    encoding === 'identity' ? pipeline(source, outgoing) : pipeline(source, compressing(encoding), outgoing);
  await sending.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

async function* inSlices(pieces: Iterable<string>): AsyncGenerator<string, void> {
  const slice = new TimeSlice();
  for (const piece of pieces) {
    yield piece;
    if (slice.isOver) await slice.pause();
  }
}
