import type { TenantDb } from '../tenants/index.ts';
import { FormulaError } from './formula/index.ts';
import { refuseUnserved } from './resolve-similarity.ts';
import type { Term } from './resolve-similarity.ts';
import { findRecords } from './similar/answer-term.ts';
import type { Operator, Scores } from './similar/answer-term.ts';
import { answerVideoTerm } from './similar/answer-video-term.ts';
import type { Picture, ReferredPictures } from './similar/answer-video-term.ts';
import type { SimilarityIndex } from './similar/memory/similarity-index.ts';
import { findVectorModel, readCloser, readSomeFingerprints } from './similar/stored-fingerprints.ts';
import { findVideoFrames, readCloserFrames } from './similar/stored-frames.ts';
import type { Fingerprint } from './similar/memory/similarity-index.ts';
import type { Closer } from './similar/find-duplicates.ts';

/**
 * The videos that answer each term. A reference names a video; where there is none of that id, an image.
 *
 * @throws FormulaError `unknown_reference`, AppError `not_implemented`.
 */
export async function answerVideoTerms(
  db: TenantDb,
  index: SimilarityIndex,
  terms: readonly Term[],
): Promise<Map<Term, Scores>> {
  const ids = terms.flatMap(({ references }) => references.map(({ value }) => value));
  const pictures = await readPictures(db, index, ids);
  const found = new Map<Term, Scores>();
  for (const term of terms) {
    const references = term.references.map(({ scheme, value, span, isNegative }): ReferredPictures => {
      refuseUnserved(term, scheme);
      const known = pictures.get(value);
      const usable = known?.pictures.filter((picture) => isComparable(picture, term.operator)) ?? [];
      if (known !== undefined && usable.length > 0) return { ...known, pictures: usable, isNegative };
      const problem = known === undefined ? `No video or image '${value}'` : `'${value}' cannot be compared`;
      const hint =
        known === undefined
          ? 'Name a video or an image of the catalog by its id.'
          : 'It is compared once it has been analysed.';
      throw new FormulaError({ code: 'unknown_reference', span, problem, hint });
    });
    const scores = await answerVideoTerm(db, index, term.operator, references);
    const least = term.minScore ?? 0;
    found.set(term, new Map([...scores].filter(([, score]) => score >= least)));
  }
  return found;
}

function isComparable({ vector, reference }: Picture, operator: Operator): boolean {
  return (operator.startsWith('~') ? vector : reference) !== null;
}

type Known = Omit<ReferredPictures, 'isNegative'>;

async function readPictures(db: TenantDb, index: SimilarityIndex, ids: readonly string[]): Promise<Map<string, Known>> {
  const videos = await findVideoFrames(db, ids);
  const known = new Map<string, Known>();
  const frames = await readCloserFrames(
    db,
    [...videos.values()].flatMap((video) => video.frames),
  );
  for (const [id, video] of videos) {
    const pictures = video.frames.flatMap((frame) => {
      const fingerprint = index.get(frame);
      return fingerprint === null ? [] : [toPicture(fingerprint, frames.get(frame), frame)];
    });
    known.set(id, { videoRowId: video.rowId, pictures });
  }
  const others = ids.filter((id) => !videos.has(id));
  const images = others.length === 0 ? new Map<string, number>() : await findRecords(db, others);
  if (images.size === 0) return known;
  const rows = [...images.values()];
  // Vectors of images, as far as the model of the frames made them too.
  const fingerprints = await readSomeFingerprints(db, await findVectorModel(db, 'video'), rows);
  const details = await readCloser(db, rows);
  for (const [id, rowId] of images) {
    const fingerprint = fingerprints.find((each) => each.id === rowId);
    const pictures = fingerprint === undefined ? [] : [toPicture(fingerprint, details.get(rowId), null)];
    known.set(id, { videoRowId: null, pictures });
  }
  return known;
}

/** @param frame its number among what is searched; null for an image. */
function toPicture({ hashes, vector }: Fingerprint, closer: Closer | undefined, frame: number | null): Picture {
  const own = hashes && { id: frame, ...hashes, vector, checksum: null, details: closer?.details ?? null };
  return { vector, reference: own };
}
