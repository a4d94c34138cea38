import { AppError } from '../../lib/errors.ts';
import { unpackDetails } from '../../analysis/index.ts';
import type { AnalyzerName, Handling, Outcomes, ImageAnalyzer } from '../../analysis/index.ts';
import type { ReferencePicture } from '../groups/find-duplicates.ts';

/** The data that a picture is compared by if it is not a record. */
export type ImageSignature = Readonly<{
  width: number;
  height: number;
  /** SHA-256 of the file, hexadecimal; null for a part of it. */
  checksum: string | null;
  hashes: Readonly<{
    pdq: Uint8Array;
    quality: number;
    regions: Uint8Array;
    /** Packed, as stored; `mirrored` is of the mirror image, if that was analyzed. */
    details: Uint8Array;
    mirrored: Uint8Array | null;
  }> | null;
  vector: ModelVector | null;
}>;

/** A vector and its model: only vectors of the same model can be compared. */
export type ModelVector = Readonly<{ values: Int8Array; model: string }>;

/** What a search needs: hashes for `i=`…, a vector for `i~`…. `i=` also finds candidates by vector. */
export type Family = 'same' | 'alike';

const wanted: Readonly<Record<Family, readonly AnalyzerName[]>> = {
  same: ['pdq', 'localFeatures', 'embedding'],
  alike: ['embedding'],
};

/** The tenant that is waiting for a picture, by id. */
export type Waiting = Readonly<{ owner: number; signal: AbortSignal }>;

/**
 * Analyzes a picture in the analysis threads, before any work that nobody is waiting for.
 *
 * @throws ElementError if it cannot be decoded; AppError `timeout`; the signal's reason.
 */
export async function readSignature(
  bytes: Buffer,
  family: Family,
  imageAnalyzer: ImageAnalyzer,
  waiting: Waiting,
): Promise<ImageSignature> {
  const handling = { ...waiting, isUrgent: true };
  const want = wanted[family].filter((name) => imageAnalyzer.names.includes(name));
  const mirroring =
    family === 'same' && want.includes('localFeatures') ? mirrorDetails(bytes, imageAnalyzer, handling) : null;
  // A picture that cannot be decoded fails both times; one error is enough.
  mirroring?.catch(() => null);
  const { image, outcomes } = await imageAnalyzer.analyze({ bytes, want, ...handling });
  refuseOvertime(outcomes);
  const mirrored = (await mirroring) ?? null;
  const { width, height, checksum } = image;
  return { width, height, checksum, hashes: hashesOf(outcomes, mirrored), vector: vectorOf(outcomes) };
}

async function mirrorDetails(
  bytes: Buffer,
  imageAnalyzer: ImageAnalyzer,
  handling: Handling,
): Promise<Uint8Array | null> {
  const mirrored = await imageAnalyzer.convert({ bytes, conversion: { to: 'mirror' }, ...handling });
  const { outcomes } = await imageAnalyzer.analyze({ bytes: mirrored.bytes, want: ['localFeatures'], ...handling });
  refuseOvertime(outcomes);
  return outcomes.localFeatures?.result?.details ?? null;
}

/** Without this, a timeout would leave a picture without a vector, as if it could not be compared. */
function refuseOvertime(outcomes: Outcomes): void {
  if (!Object.values(outcomes).some(({ error }) => error?.code === 'timeout')) return;
  throw new AppError('timeout', 'Timed out while analyzing the picture', { hint: askAgain });
}

/** What the caller can do after a timeout. */
export const askAgain = 'Try again in a moment: the machine, or the server of the picture, is busy';

function hashesOf({ pdq, localFeatures }: Outcomes, mirrored: Uint8Array | null): ImageSignature['hashes'] {
  if (pdq?.result === undefined || localFeatures?.result === undefined) return null;
  return { pdq: pdq.result.hash, quality: pdq.result.quality, ...localFeatures.result, mirrored };
}

function vectorOf({ embedding }: Outcomes): ModelVector | null {
  if (embedding?.result === undefined) return null;
  return { values: embedding.result, model: `${embedding.analyzer} ${embedding.version}` };
}

/** The model that currently produces the vectors of pictures; null if there is none. */
export function modelOf({ origins }: ImageAnalyzer): string | null {
  const origin = origins.embedding;
  return origin === undefined ? null : `${origin.analyzer} ${origin.version}`;
}

/** The analyzed picture, ready to be compared; null without hashes. `id` is the record that it belongs to. */
export function referenceOf({ hashes, vector, checksum }: ImageSignature, id: number | null): ReferencePicture | null {
  if (hashes === null) return null;
  const { pdq, quality, regions, details, mirrored } = hashes;
  return {
    id,
    pdq,
    quality,
    regions,
    checksum,
    vector: vector?.values ?? null,
    details: unpackDetails(Buffer.from(details)),
    mirrored: mirrored && unpackDetails(Buffer.from(mirrored)),
  };
}
