import { carriedVersion, fieldsOf } from '../../catalog/index.ts';
import type { CarriedAnalysis, Resource } from '../../catalog/index.ts';
import { ElementError } from '../../lib/errors.ts';
import { carriedShapes } from './carried-shapes.ts';

const properties: Readonly<Record<Resource, ReadonlySet<string>>> = {
  image: new Set(fieldsOf.image.map(({ property }) => property)),
  video: new Set(fieldsOf.video.map(({ property }) => property)),
};

/**
 * Checks an analysis that a caller supplies for the types, sizes and ranges that analyses of this service have;
 * nothing else of it is stored. Its times must not be in the future, and results of another version become `stale`.
 *
 * @param signature identifies the analyzers of this service
 * @throws ElementError `invalid_field` that names the first fault
 */
export function checkCarried(resource: Resource, analysis: unknown, signature: string): CarriedAnalysis {
  const stated = (analysis as Readonly<{ version?: unknown }> | null)?.version;
  if (stated !== carriedVersion) {
    throw fault(`has version ${String(stated).slice(0, 20)}; this service reads version ${carriedVersion}`);
  }
  const { success, data, error } = carriedShapes[resource].safeParse(analysis);
  if (!success) {
    const [issue] = error.issues;
    throw fault(`${issue?.path.join('.').slice(0, 100)}: ${issue?.message.slice(0, 200)}`);
  }
  const columns = data.columns as Readonly<Record<string, unknown>>;
  for (const property of Object.keys((columns['provenance'] as object | null) ?? {})) {
    if (!properties[resource].has(property)) throw fault(`columns.provenance: no field '${property.slice(0, 40)}'`);
  }
  const aiStatus = statusOf(columns['aiStatus'], data.signature, signature);
  return { ...data, columns: { ...columns, aiStatus } } as CarriedAnalysis;
}

/** An analysis that is pending in another catalog will not be done here, so the record counts as never analyzed. */
function statusOf(status: unknown, theirs: string | null, own: string): unknown {
  if (theirs === null || status === 'pending') return null;
  return status === 'ready' && theirs !== own ? 'stale' : status;
}

function fault(what: string): ElementError {
  return new ElementError('invalid_field', `analysis ${what}`, 'analysis');
}

/** Names of the models that made its embeddings. */
export function modelsIn({ fingerprint, frames }: CarriedAnalysis): string[] {
  return [fingerprint, ...frames.map((frame) => frame.fingerprint)].flatMap((print) => print?.model ?? []);
}
