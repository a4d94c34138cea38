import type { Database } from '../backing/index.ts';
import { createSourceOpener, createSourceReader, createSourceStreamer } from '../catalog/index.ts';
import type { SourceOpener, SourceReader, SourceStreamer } from '../catalog/index.ts';
import type { Config } from '../config/config.ts';
import { openConfiguredExports } from '../exports/index.ts';
import type { Exports } from '../exports/index.ts';
import { openPreviewStore } from '../previews/index.ts';
import type { FileStore } from '../storage/index.ts';
import { openConfiguredUploads } from '../uploads/index.ts';
import type { Uploads } from '../uploads/index.ts';

/** The files of a process, opened once: sources, uploads, exports, and the store of previews. */
export type Files = Readonly<{
  readSource: SourceReader;
  openSource: SourceOpener;
  streamSource: SourceStreamer;
  uploads: Uploads;
  exports: Exports;
  /** Null if previews are disabled. */
  previewStore: FileStore | null;
}>;

export function openFiles(config: Config, database: Database): Files {
  const uploads = openConfiguredUploads(database, config);
  const sources = { ...config, uploads };
  return {
    readSource: createSourceReader(sources),
    openSource: createSourceOpener(sources),
    streamSource: createSourceStreamer(sources),
    uploads,
    exports: openConfiguredExports(database, config),
    previewStore: openPreviewStore(config),
  };
}
