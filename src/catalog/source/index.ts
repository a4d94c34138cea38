import type { Config } from '../../config.ts';
import type { Source } from '../check-element.ts';
import { createAddressGuard } from './address-guard.ts';
import { fetchUrl } from './fetch-url.ts';
import type { OpenSource } from './open-source.ts';
import { openUrl } from './open-url.ts';
import { openPath, readPath } from './read-path.ts';

export type { OpenSource } from './open-source.ts';

/** Reads the bytes that a source names, within the limits and guards of the configuration. */
export type SourceReader = (source: Source, signal?: AbortSignal) => Promise<Buffer>;

/** Opens a source to read parts of it, within the same limits and guards; the caller closes it. */
export type SourceOpener = (source: Source, signal?: AbortSignal) => Promise<OpenSource>;

export function createSourceReader({ mediaRoots, sourceAllow }: Config): SourceReader {
  const guard = createAddressGuard(sourceAllow);
  return ({ kind, value }, signal) =>
    kind === 'url' ? fetchUrl(value, { guard, ...(signal && { signal }) }) : readPath(value, mediaRoots);
}

export function createSourceOpener({ mediaRoots, sourceAllow }: Config): SourceOpener {
  const guard = createAddressGuard(sourceAllow);
  return ({ kind, value }, signal) =>
    kind === 'url' ? openUrl(value, { guard, ...(signal && { signal }) }) : openPath(value, mediaRoots);
}
