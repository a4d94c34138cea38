import { AppError } from '../../lib/errors.ts';
import type { ImageAnalyzer } from '../../analysis/index.ts';
import type { Resource } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { findModelInUse } from '../index/stored-fingerprints.ts';
import { modelOf } from './image-signature.ts';
import type { ImageSignature } from './image-signature.ts';

/** Which records are searched, and the signal of the caller. */
type Search = Readonly<{ db: TenantDb; resource: Resource; signal: AbortSignal }>;

/** The model whose vectors are searched now; if none is chosen yet, the analyzer's. */
export async function modelOfSearch(imageAnalyzer: ImageAnalyzer, { db, resource }: Search): Promise<string | null> {
  return (await findModelInUse(db, resource))?.name ?? modelOf(imageAnalyzer);
}

/** If another model embedded a picture, replaces its vector by one of the model in use, provided that is available. */
export async function inModelInUse(
  signature: ImageSignature,
  imageAnalyzer: ImageAnalyzer,
  readBytes: () => Promise<Buffer | null>,
  search: Search,
): Promise<ImageSignature> {
  if (signature.vector === null) return signature;
  const model = await modelOfSearch(imageAnalyzer, search);
  if (model === null || model === signature.vector.model) return signature;
  const embedder = imageAnalyzer.embedderOf(model);
  const bytes = embedder && (await readBytes());
  if (!embedder || !bytes) return signature;
  const waiting = { owner: search.db.tenantId, signal: search.signal };
  const values = await embedBy(model, 'The embedding model', search, () => embedder.embedPicture(bytes, waiting));
  return { ...signature, vector: { values, model } };
}

/** Embeds with a model. @throws AppError `provider_failed`, or `unavailable` if it is too busy; the signal's reason. */
export async function embedBy(
  model: string,
  what: string,
  { signal }: Search,
  embed: () => Promise<Int8Array>,
): Promise<Int8Array> {
  try {
    return await embed();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError && error.code === 'unavailable') throw error;
    throw new AppError('provider_failed', `${what} failed: ${(error as Error).message}`, { analyzer: model });
  }
}
