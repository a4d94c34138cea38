import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TimeSlice } from '../../lib/time-slice.ts';
import { chooseEncoding, compressing } from './compression.ts';
import type { Exchange } from '../exchange.ts';

/**
 * Writes a long text whose pieces are generated as the client reads them; other requests run between two pieces. Ends
 * silently if the client disconnects.
 *
 * @throws what `pieces` throws, after the head was sent.
 */
export async function sendPieces(
  exchange: Exchange,
  status: number,
  lines: string[],
  pieces: Iterable<string>,
): Promise<void> {
  const encoding = chooseEncoding(exchange.incoming.headers['accept-encoding']);
  if (encoding !== 'identity') lines.push('Content-Encoding', encoding);
  const outgoing = exchange.startReply(status, lines);
  if (exchange.method === 'HEAD') return void outgoing.end();
  const slice = new TimeSlice(exchange.tenantId);
  if (encoding === 'identity') return writePieces(outgoing, pieces, slice);
  const source = Readable.from(inSlices(pieces, slice), { objectMode: false });
  await pipeline(source, compressing(encoding), outgoing).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

/** Without intermediate streams, which would take as long as writing the JSON. */
async function writePieces(outgoing: ServerResponse, pieces: Iterable<string>, slice: TimeSlice): Promise<void> {
  for (const piece of pieces) {
    // Checked before each write: a write to a closed reply would wait for events that have already fired.
    if (outgoing.destroyed) return;
    // As bytes: for a string, node:http would first compute the length.
    if (!outgoing.write(Buffer.from(piece))) await drained(outgoing);
    if (slice.isOver) await slice.pause();
  }
  outgoing.end();
}

/** Resolves when more can be written or the reply is closed. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      outgoing.off('drain', end).off('close', end);
      resolve();
    };
    outgoing.on('drain', end).on('close', end);
  });
}

async function* inSlices(pieces: Iterable<string>, slice: TimeSlice): AsyncGenerator<string, void> {
  for (const piece of pieces) {
    yield piece;
    if (slice.isOver) await slice.pause();
  }
}
