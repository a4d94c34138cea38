import type { TenantDb } from '../tenants/index.ts';
import type { Reference, SimilarityTerm } from './formula/ast.ts';
import { FormulaError } from './formula/index.ts';
import type { Question } from './question.ts';
import type { Answer } from './resolve-similarity.ts';
import type { TenantIndex } from './similar/answer-term.ts';
import { answerVideoTerm } from './similar/answer-video-term.ts';
import type { ComparedPictures, Picture } from './similar/answer-video-term.ts';
import type { Closer } from './similar/find-duplicates.ts';
import type { Gathered } from './similar/gather-references.ts';
import { referenceOf } from './similar/look.ts';
import type { Fingerprint } from './similar/memory/similarity-index.ts';
import { findVectorModel, readCloser, readSomeFingerprints } from './similar/stored-fingerprints.ts';
import { readCloserFrames } from './similar/stored-frames.ts';

/**
 * The videos that answer each term: those of which a frame does.
 *
 * @throws FormulaError `unknown_reference` where a reference has nothing to be compared by.
 */
export async function answerVideoTerms(
  db: TenantDb,
  { lang }: Question,
  index: TenantIndex,
  terms: readonly SimilarityTerm[],
  gathered: ReadonlyMap<Reference, Gathered>,
): Promise<Map<SimilarityTerm, Answer>> {
  const answers = new Map<SimilarityTerm, Answer>();
  for (const term of terms) {
    const references: ComparedPictures[] = [];
    for (const reference of term.references) {
      references.push(await toCompared(db, index, term, reference, gathered.get(reference) as Gathered));
    }
    const isByWords = references.some(({ text }) => text !== null);
    answers.set(term, { ...(await answerVideoTerm(db, index, { term, references, lang })), isByWords });
  }
  return answers;
}

async function toCompared(
  db: TenantDb,
  index: TenantIndex,
  { operator }: SimilarityTerm,
  { isNegative, span, value }: Reference,
  gathered: Gathered,
): Promise<ComparedPictures> {
  const nothing = { isNegative, videoRowId: null, pictures: [], text: null, kind: 'image' } as const;
  if (gathered.kind === 'text') {
    const { text, vector } = gathered;
    // A vector of another model than the frames' says nothing among theirs.
    if (vector === null || vector.model !== index.model) return { ...nothing, kind: 'text', text };
    return { ...nothing, kind: 'text', pictures: [{ vector: vector.values, reference: null }] };
  }
  const all = await picturesOf(db, index, gathered);
  const pictures = all.filter(({ vector, reference }) => (operator.startsWith('~') ? vector : reference) !== null);
  if (pictures.length === 0) {
    const hint = 'It is compared once it has been analysed, by the model that looked at the videos.';
    throw new FormulaError({ code: 'unknown_reference', span, problem: `'${value}' cannot be compared`, hint });
  }
  return { ...nothing, videoRowId: gathered.kind === 'video' ? gathered.rowId : null, pictures };
}

async function picturesOf(
  db: TenantDb,
  { index, model }: TenantIndex,
  gathered: Exclude<Gathered, { kind: 'text' }>,
): Promise<readonly Picture[]> {
  if (gathered.kind === 'picture') {
    const { looked } = gathered;
    const own = { ...looked, vector: looked.vector?.model === model ? looked.vector : null };
    return [{ vector: own.vector?.values ?? null, reference: referenceOf(own, null) }];
  }
  if (gathered.kind === 'video') {
    const closer = await readCloserFrames(db, gathered.frames);
    return gathered.frames.flatMap((frame) => {
      const fingerprint = index.get(frame);
      return fingerprint === null ? [] : [toPicture(fingerprint, closer.get(frame), frame)];
    });
  }
  // An image, by the vector that the model of the frames has made of it.
  const ids = [gathered.rowId];
  const closer = await readCloser(db, ids);
  const fingerprints = await readSomeFingerprints(db, await findVectorModel(db, 'video'), ids);
  return fingerprints.map((each) => toPicture(each, closer.get(each.id), null));
}

/** @param frame its number among what is searched; null for an image. */
function toPicture({ hashes, vector }: Fingerprint, closer: Closer | undefined, frame: number | null): Picture {
  const details = closer?.details ?? null;
  return { vector, reference: hashes && { id: frame, ...hashes, vector, checksum: null, details } };
}
