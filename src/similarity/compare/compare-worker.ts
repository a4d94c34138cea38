import { parentPort, workerData } from 'node:worker_threads';
import { unpackDetails } from '../../analysis/index.ts';
import { compare } from './compare.ts';
import type { Side } from './compare.ts';
import type { Thresholds } from './tiers.ts';

/** A picture as sent to a thread: its details are packed, as they are stored. */
export type PackedSide = Readonly<{
  pdq: Uint8Array;
  quality: number;
  regions: Uint8Array;
  details: Uint8Array | null;
}>;

/** Pairs to compare: two indexes of sides for each. */
export type CompareTask = Readonly<{ sides: readonly PackedSide[]; pairs: Uint32Array }>;
/** For each pair, in how many bits the hashes differ in the best rotation; -1 if they do not match. */
export type CompareReply = Readonly<{ bits: Int16Array }>;

const thresholds = workerData as Thresholds;

parentPort?.on('message', ({ sides, pairs }: CompareTask) => {
  const unpacked = sides.map(unpack);
  const bits = Int16Array.from({ length: pairs.length / 2 }, (_, k) => {
    const [a, b] = [unpacked[pairs[2 * k] as number], unpacked[pairs[2 * k + 1] as number]];
    return (a && b && compare(a, b, thresholds)?.distance) ?? -1;
  });
  const reply: CompareReply = { bits };
  parentPort?.postMessage(reply, []);
});

function unpack({ details, ...hashes }: PackedSide): Side {
  if (details === null) return { ...hashes, details };
  return { ...hashes, details: unpackDetails(Buffer.from(details.buffer, details.byteOffset, details.length)) };
}
