import { parentPort, workerData } from 'node:worker_threads';
import { unpackDetails } from '../../vision/index.ts';
import { compare } from './compare.ts';
import type { Side } from './compare.ts';
import type { Thresholds } from './tiers.ts';

/** A picture as it goes to a thread: its details are packed, as they are stored. */
export type PackedSide = Readonly<{ pdq: Uint8Array; quality: number; details: Uint8Array | null }>;

/** Pairs that are to be looked at: numbers of sides, one after the other. */
export type LookTask = Readonly<{ sides: readonly PackedSide[]; pairs: Uint32Array }>;
/** For each pair in how many bits the hashes differ in the turn that fits best; -1 where they do not match. */
export type LookReply = Readonly<{ bits: Int16Array }>;

const thresholds = workerData as Thresholds;

parentPort?.on('message', ({ sides, pairs }: LookTask) => {
  const unpacked = sides.map(unpack);
  const bits = Int16Array.from({ length: pairs.length / 2 }, (_, k) => {
    const [a, b] = [unpacked[pairs[2 * k] as number], unpacked[pairs[2 * k + 1] as number]];
    return (a && b && compare(a, b, thresholds)?.distance) ?? -1;
  });
  const reply: LookReply = { bits };
  parentPort?.postMessage(reply, []);
});

function unpack({ pdq, quality, details }: PackedSide): Side {
  if (details === null) return { pdq, quality, details };
  return { pdq, quality, details: unpackDetails(Buffer.from(details.buffer, details.byteOffset, details.length)) };
}
