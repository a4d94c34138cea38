import type { Resource, Source, SourceReader } from '../../catalog/index.ts';
import { AppError, ElementError } from '../../lib/errors.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Region, ImageAnalyzer } from '../../analysis/index.ts';
import { UnknownReference } from '../term.ts';
import type { Term, TermReference } from '../term.ts';
import { embedBy, inModelInUse, modelOfSearch } from './in-model-in-use.ts';
import { askAgain, readSignature } from './image-signature.ts';
import type { Family, ImageSignature, ModelVector } from './image-signature.ts';
import { findQueryImage } from './query-images.ts';
import { findVideoFrames } from '../index/stored-frames.ts';

/** Dependencies for reading and analyzing pictures that are not records. */
export type ReferenceDependencies = Readonly<{ imageAnalyzer?: ImageAnalyzer; readSource?: SourceReader }>;

/** The caller; `signal` fires when the client disconnects. */
export type Caller = Readonly<{
  readonly signal: AbortSignal;
  /** What the caller may read. Otherwise, references must not reveal which images and query images exist. */
  readsImages: boolean;
  readsQueryImages: boolean;
}>;

/** A caller that may read everything: the operator, or work whose caller was checked when it was accepted. */
export function unrestricted(signal: AbortSignal): Caller {
  return { signal, readsImages: true, readsQueryImages: true };
}

/** What a reference resolves to. */
export type LoadedReferences =
  | Readonly<{ kind: 'record'; rowId: number }>
  /** A video, by the row ids of its frames. */
  | Readonly<{ kind: 'video'; rowId: number; frames: readonly number[] }>
  /** `rowId` is the record that it belongs to. */
  | Readonly<{ kind: 'picture'; rowId: number | null; signature: ImageSignature }>
  /** `vector` is null if no model embeds texts. */
  | Readonly<{ kind: 'text'; text: string; vector: ModelVector | null }>;

/** Time limit for all pictures that a formula refers to. */
const loadMs = 15_000;

type Deps = Readonly<{
  db: TenantDb;
  resource: Resource;
  term: Term;
  dependencies: ReferenceDependencies;
  signal: AbortSignal;
  may: Omit<Caller, 'signal'>;
}>;

/**
 * Resolves the references of terms: records, query images, pictures at addresses, texts.
 *
 * @throws UnknownReference for the first that cannot be resolved; AppError if a model fails or times out.
 */
export async function loadReferences(
  db: TenantDb,
  { terms, resource }: Readonly<{ terms: readonly Term[]; resource: Resource }>,
  dependencies: ReferenceDependencies,
  caller: Caller,
): Promise<ReadonlyMap<TermReference, LoadedReferences>> {
  const timeout = AbortSignal.timeout(loadMs);
  const signal = AbortSignal.any([caller.signal, timeout]);
  const pairs = terms.flatMap((term) => term.references.map((reference) => ({ term, reference })));
  const settled = await Promise.allSettled(
    pairs.map(
      async ({ term, reference }) =>
        [reference, await loadReference(reference, { db, resource, term, dependencies, signal, may: caller })] as const,
    ),
  );
  // The first in the formula, not the first to fail.
  const failed = settled.findIndex(({ status }) => status === 'rejected');
  if (failed >= 0) {
    const { reason } = settled[failed] as PromiseRejectedResult;
    throw explain(reason, (pairs[failed] as (typeof pairs)[number]).reference, timeout, caller);
  }
  return new Map(
    settled.map((each) => (each as PromiseFulfilledResult<readonly [TermReference, LoadedReferences]>).value),
  );
}

async function loadReference(reference: TermReference, deps: Deps): Promise<LoadedReferences> {
  switch (reference.scheme) {
    case 'id':
      return loadRecord(reference, deps);
    case 'hash':
      return loadQueryImage(reference, deps);
    case 'url':
      return loadUrl(reference, deps);
    case 'text':
      return loadText(reference, deps);
    default:
      return reference.scheme satisfies never;
  }
}

const record = tenantStatement(
  'similarity-reference',
  `SELECT row_id::text AS "rowId", src, src_path AS "srcPath" FROM image WHERE tenant_id = $1 AND image_id = $2`,
);

async function loadRecord(reference: TermReference, deps: Deps): Promise<LoadedReferences> {
  const { value } = reference;
  const video = deps.resource === 'video' ? (await findVideoFrames(deps.db, [value])).get(value) : undefined;
  if (video !== undefined) {
    if (deps.term.box === null) return { kind: 'video', ...video };
    const hint = 'A box needs an image; use an image id.';
    throw new UnknownReference(reference, `'${shortened(value)}' is a video`, hint);
  }
  type Row = { rowId: string; src: string | null; srcPath: string | null };
  const isAsked = deps.may.readsImages && !value.includes('\0');
  const found = !isAsked ? undefined : (await deps.db.query<Row>(record, [value])).rows[0];
  if (found === undefined) {
    const what = deps.resource === 'image' ? 'image' : deps.may.readsImages ? 'video or image' : 'video';
    const problem = `No ${what} '${shortened(value)}'`;
    const images = deps.may.readsImages ? '' : ' Images need the scope imgs:read.';
    const hint = `Use the id of ${what === 'image' ? 'an image' : 'a record'} of the catalog.${images}`;
    throw new UnknownReference(reference, problem, hint);
  }
  const rowId = Number(found.rowId);
  if (deps.term.box === null) return { kind: 'record', rowId };
  const { src, srcPath } = found;
  const source = { kind: src === null ? 'path' : 'url', value: src ?? srcPath ?? '' } as const;
  return { kind: 'picture', rowId, signature: await signatureOfSource(source, deps) };
}

async function loadQueryImage(reference: TermReference, deps: Deps): Promise<LoadedReferences> {
  const { value } = reference;
  const found = deps.may.readsQueryImages ? await findQueryImage(deps.db, value, deps.term.box !== null) : null;
  if (found === null) {
    const hint = deps.may.readsQueryImages
      ? 'Send the picture to POST /query_imgs again: it is kept for 24 hours after its last use.'
      : 'Query images need the scope imgs:query.';
    const problem = `No query image '${shortened(value)}'`;
    throw new UnknownReference(reference, problem, hint);
  }
  const { picture, ...signature } = found;
  if (picture === null) {
    const readPicture = async () => (await findQueryImage(deps.db, value, true))?.picture ?? null;
    const { imageAnalyzer } = deps.dependencies;
    const own = imageAnalyzer && (await inModelInUse(signature, imageAnalyzer, readPicture, deps));
    return { kind: 'picture', rowId: null, signature: own ?? signature };
  }
  return { kind: 'picture', rowId: null, signature: await signatureOf(picture, deps) };
}

async function loadUrl(reference: TermReference, deps: Deps): Promise<LoadedReferences> {
  const { value } = reference;
  if (!URL.canParse(value)) {
    const hint = 'Write the whole URL: i~url:https://example.org/a.jpg; quote one with blanks or commas.';
    throw new UnknownReference(reference, `'${shortened(value)}' is not a URL`, hint);
  }
  return { kind: 'picture', rowId: null, signature: await signatureOfSource({ kind: 'url', value }, deps) };
}

async function loadText({ value }: TermReference, deps: Deps): Promise<LoadedReferences> {
  const { db, dependencies, signal } = deps;
  const { imageAnalyzer } = dependencies;
  const model = imageAnalyzer === undefined ? null : await modelOfSearch(imageAnalyzer, deps);
  const embedText = (model === null ? null : imageAnalyzer?.embedderOf(model)?.embedText) ?? null;
  if (model === null || embedText === null) return { kind: 'text', text: value, vector: null };
  const values = await embedBy(model, 'The text embedding model', deps, () => embedText(value, signal, db.tenantId));
  return { kind: 'text', text: value, vector: { values, model } };
}

function dependenciesOf({ dependencies: { imageAnalyzer, readSource } }: Deps): Required<ReferenceDependencies> {
  if (imageAnalyzer !== undefined && readSource !== undefined) return { imageAnalyzer, readSource };
  throw new AppError('not_implemented', 'Image analysis is disabled in this process');
}

function signatureOfSource(source: Source, deps: Deps): Promise<ImageSignature> {
  const { db, signal } = deps;
  return dependenciesOf(deps).readSource.use(source, { owner: db.tenantId, signal }, (bytes) =>
    signatureOf(bytes, deps),
  );
}

/** Analyzes a picture, or the part of it that the term selects. */
async function signatureOf(bytes: Buffer, deps: Deps): Promise<ImageSignature> {
  const { db, term, signal } = deps;
  const waiting = { owner: db.tenantId, signal };
  const family: Family = term.operator.startsWith('~') ? 'alike' : 'same';
  const { imageAnalyzer } = dependenciesOf(deps);
  const read = async (of: Buffer) =>
    inModelInUse(await readSignature(of, family, imageAnalyzer, waiting), imageAnalyzer, async () => of, deps);
  if (term.box === null) return read(bytes);
  const conversion = { to: 'part', region: toRegion(term.box) } as const;
  const { bytes: part } = await imageAnalyzer.convert({ bytes, conversion, isUrgent: true, ...waiting });
  return { ...(await read(part)), checksum: null };
}

function toRegion([x, y, width, height]: readonly [number, number, number, number]): Region {
  return { x: x / 100, y: y / 100, width: width / 100, height: height / 100 };
}

function explain(error: unknown, reference: TermReference, timeout: AbortSignal, caller: Caller): unknown {
  const { scheme, value } = reference;
  if (error instanceof UnknownReference || error instanceof AppError) return error;
  const about = (reason: string, hint: string) =>
    new UnknownReference(reference, `'${shortened(value)}' ${reason}`, hint);
  if (caller.signal.aborted) return new AppError('unavailable', 'The request was canceled', { hint: askAgain });
  if (timeout.aborted && scheme !== 'url') {
    const message = `Timed out after ${loadMs / 1000} seconds while analyzing '${shortened(value)}'`;
    return new AppError('timeout', message, { hint: askAgain });
  }
  // Whoever gives an address can upload the picture instead.
  if (timeout.aborted) return about(`did not load within ${loadMs / 1000} s`, 'Send it to POST /query_imgs instead.');
  if (!(error instanceof ElementError)) return error;
  const reason = error.message.replace(/^(?:src|the source)\b ?/, '');
  return about(
    `cannot be used as a reference: ${reason}`,
    hints[error.code] ?? 'Send the picture to POST /query_imgs instead.',
  );
}

const hints: Readonly<Partial<Record<ElementError['code'], string>>> = {
  source_forbidden: 'The URL must be http or https, and public; send other pictures to POST /query_imgs.',
  unsupported_media: 'Supported by content: JPEG, PNG, WebP, GIF, TIFF, AVIF and HEIC.',
};

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
