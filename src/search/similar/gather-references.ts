import type { Resource, SourceReader } from '../../catalog/index.ts';
import { AppError, ElementError } from '../../errors.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { cutPart } from '../../vision/index.ts';
import type { Region, Sight } from '../../vision/index.ts';
import type { Reference, SimilarityTerm } from '../formula/ast.ts';
import { FormulaError } from '../formula/errors.ts';
import { askAgain, lookAt, modelOf } from './look.ts';
import type { Family, Looked, ModelVector } from './look.ts';
import { findQueryImage } from './query-images.ts';
import { findVideoFrames } from './stored-frames.ts';

/** Whoever can read and look at pictures that are no records. */
export type Eyes = Readonly<{ sight?: Sight; readSource?: SourceReader }>;

/** Who asks; fires when the client has gone. */
export type Caller = Readonly<{ readonly signal: AbortSignal }>;

/** What a reference stands for. */
export type Gathered =
  | Readonly<{ kind: 'record'; rowId: number }>
  /** A video, by the numbers of its frames. */
  | Readonly<{ kind: 'video'; rowId: number; frames: readonly number[] }>
  /** `rowId` is the record that it is a part of. */
  | Readonly<{ kind: 'picture'; rowId: number | null; looked: Looked }>
  /** `vector` where a model embeds texts. */
  | Readonly<{ kind: 'text'; text: string; vector: ModelVector | null }>;

/** Longest time for all pictures that a formula refers to. */
const gatherMs = 15_000;

type Deps = Readonly<{ db: TenantDb; resource: Resource; term: SimilarityTerm; eyes: Eyes; signal: AbortSignal }>;

/**
 * Looks up what the references of terms stand for: records, query images, pictures at addresses, texts.
 *
 * @throws FormulaError `unknown_reference` at the first that stands for nothing; AppError where a model fails or nobody has time.
 */
export async function gatherReferences(
  db: TenantDb,
  { terms, resource }: Readonly<{ terms: readonly SimilarityTerm[]; resource: Resource }>,
  eyes: Eyes,
  caller: Caller,
): Promise<ReadonlyMap<Reference, Gathered>> {
  const timeout = AbortSignal.timeout(gatherMs);
  const signal = AbortSignal.any([caller.signal, timeout]);
  const pairs = terms.flatMap((term) => term.references.map((reference) => ({ term, reference })));
  const settled = await Promise.allSettled(
    pairs.map(
      async ({ term, reference }) =>
        [reference, await gather(reference, { db, resource, term, eyes, signal })] as const,
    ),
  );
  // The first one in the formula, not the first in time.
  const failed = settled.findIndex(({ status }) => status === 'rejected');
  if (failed >= 0) {
    const { reason } = settled[failed] as PromiseRejectedResult;
    throw explain(reason, (pairs[failed] as (typeof pairs)[number]).reference, timeout, caller);
  }
  return new Map(settled.map((each) => (each as PromiseFulfilledResult<readonly [Reference, Gathered]>).value));
}

async function gather(reference: Reference, deps: Deps): Promise<Gathered> {
  switch (reference.scheme) {
    case 'id':
      return gatherRecord(reference, deps);
    case 'hash':
      return gatherQueryImage(reference, deps);
    case 'url':
      return gatherUrl(reference, deps);
    case 'text':
      return gatherText(reference, deps);
    default:
      return reference.scheme satisfies never;
  }
}

const record = tenantStatement(
  'similarity-reference',
  `SELECT row_id::text AS "rowId", src, src_path AS "srcPath" FROM image WHERE tenant_id = $1 AND image_id = $2`,
);

async function gatherRecord({ value, span }: Reference, deps: Deps): Promise<Gathered> {
  const video = deps.resource === 'video' ? (await findVideoFrames(deps.db, [value])).get(value) : undefined;
  if (video !== undefined) {
    if (deps.term.box === null) return { kind: 'video', ...video };
    const hint = 'A box is a part of an image; name one by its id.';
    throw new FormulaError({ code: 'unknown_reference', span, problem: `'${shortened(value)}' is a video`, hint });
  }
  type Row = { rowId: string; src: string | null; srcPath: string | null };
  const found = value.includes('\0') ? undefined : (await deps.db.query<Row>(record, [value])).rows[0];
  if (found === undefined) {
    const what = deps.resource === 'video' ? 'video or image' : 'image';
    const problem = `No ${what} '${shortened(value)}'`;
    const hint = `Name ${what === 'image' ? 'an image' : 'one'} of the catalog by its id.`;
    throw new FormulaError({ code: 'unknown_reference', span, problem, hint });
  }
  const rowId = Number(found.rowId);
  if (deps.term.box === null) return { kind: 'record', rowId };
  const { src, srcPath } = found;
  const bytes = await eyesOf(deps).readSource(
    { kind: src === null ? 'path' : 'url', value: src ?? srcPath ?? '' },
    deps.signal,
  );
  return { kind: 'picture', rowId, looked: await look(bytes, deps) };
}

async function gatherQueryImage({ value, span }: Reference, deps: Deps): Promise<Gathered> {
  const found = await findQueryImage(deps.db, value, deps.term.box !== null);
  if (found === null) {
    const hint = 'Send the picture to POST /query_imgs (again): it is kept for 24 hours after its last use.';
    const problem = `No query image '${shortened(value)}'`;
    throw new FormulaError({ code: 'unknown_reference', span, problem, hint });
  }
  const { picture, ...looked } = found;
  if (picture === null) return { kind: 'picture', rowId: null, looked };
  return { kind: 'picture', rowId: null, looked: await look(picture, deps) };
}

async function gatherUrl({ value, span }: Reference, deps: Deps): Promise<Gathered> {
  if (!URL.canParse(value)) {
    const hint = 'Write the whole address: i~url:https://example.org/a.jpg; quote one with blanks or commas.';
    throw new FormulaError({ code: 'unknown_reference', span, problem: `'${shortened(value)}' is no address`, hint });
  }
  const bytes = await eyesOf(deps).readSource({ kind: 'url', value }, deps.signal);
  return { kind: 'picture', rowId: null, looked: await look(bytes, deps) };
}

async function gatherText({ value }: Reference, { eyes, signal }: Deps): Promise<Gathered> {
  const { sight } = eyes;
  const model = sight === undefined ? null : modelOf(sight);
  if (!sight?.embedText || model === null) return { kind: 'text', text: value, vector: null };
  try {
    return { kind: 'text', text: value, vector: { values: await sight.embedText(value, signal), model } };
  } catch (error) {
    signal.throwIfAborted();
    throw new AppError('provider_failed', `The model of texts failed: ${(error as Error).message}`, {
      analyzer: model,
    });
  }
}

function eyesOf({ eyes: { sight, readSource } }: Deps): Required<Eyes> {
  if (sight !== undefined && readSource !== undefined) return { sight, readSource };
  throw new AppError('not_implemented', 'This process looks at no pictures');
}

/** Looks at a picture, or at the part of it that the term names. */
async function look(bytes: Buffer, deps: Deps): Promise<Looked> {
  const { term, signal } = deps;
  const family: Family = term.operator.startsWith('~') ? 'alike' : 'same';
  const { sight } = eyesOf(deps);
  if (term.box === null) return lookAt(bytes, family, sight, signal);
  const part = await cutPart(bytes, toRegion(term.box));
  return { ...(await lookAt(part, family, sight, signal)), checksum: null };
}

function toRegion([x, y, width, height]: readonly [number, number, number, number]): Region {
  return { x: x / 100, y: y / 100, width: width / 100, height: height / 100 };
}

function explain(error: unknown, { scheme, value, span }: Reference, timeout: AbortSignal, caller: Caller): unknown {
  if (error instanceof FormulaError || error instanceof AppError) return error;
  const about = (reason: string, hint: string) =>
    new FormulaError({ code: 'unknown_reference', span, problem: `'${shortened(value)}' ${reason}`, hint });
  if (caller.signal.aborted) return new AppError('unavailable', 'The request was given up', { hint: askAgain });
  if (timeout.aborted && scheme !== 'url') {
    const message = `'${shortened(value)}' was not looked at within ${gatherMs / 1000} seconds`;
    return new AppError('timeout', message, { hint: askAgain });
  }
  // Whoever names an address can send what is there.
  if (timeout.aborted)
    return about(`was not there within ${gatherMs / 1000} s`, 'Send it to POST /query_imgs instead.');
  if (!(error instanceof ElementError)) return error;
  const reason = error.message.replace(/^(?:src|the source)\b ?/, '');
  return about(
    `cannot be compared with: ${reason}`,
    hints[error.code] ?? 'Send the picture to POST /query_imgs instead.',
  );
}

const hints: Readonly<Partial<Record<ElementError['code'], string>>> = {
  source_forbidden: 'Addresses are http or https, and public; send other pictures to POST /query_imgs.',
  unsupported_media: 'It is JPEG, PNG, WebP, GIF, TIFF, AVIF or HEIC that counts, by content.',
};

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
