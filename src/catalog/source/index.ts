import type { Config } from '../../config.ts';
import type { Source } from '../check-element.ts';
import { createAddressGuard } from './address-guard.ts';
import { fetchUrl } from './fetch-url.ts';
import { readPath } from './read-path.ts';

/** Reads the bytes that a source names, within the limits and guards of the configuration. */
export type SourceReader = (source: Source, signal?: AbortSignal) => Promise<Buffer>;

export function createSourceReader({ mediaRoots, sourceAllow }: Config): SourceReader {
  const guard = createAddressGuard(sourceAllow);
  return ({ kind, value }, signal) =>
    kind === 'url' ? fetchUrl(value, { guard, ...(signal && { signal }) }) : readPath(value, mediaRoots);
}
