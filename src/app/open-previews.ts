import type { ImageAnalyzer } from '../analysis/index.ts';
import type { Database, Notifications } from '../backing/index.ts';
import type { Config } from '../config/config.ts';
import type { Answers } from '../lib/answers.ts';
import type { Logger } from '../observability/logger.ts';
import { openPreviews } from '../previews/index.ts';
import type { Previews } from '../previews/index.ts';
import type { Files } from './open-files.ts';

type PreviewParts = Readonly<{
  database: Database;
  notifications: Notifications;
  files: Files;
  imageAnalyzer: ImageAnalyzer;
  answers: Answers;
  logger: Logger;
}>;

/** Opens the previews of this process as configured; null if they are disabled. */
export function openServicePreviews(config: Config, { files, ...parts }: PreviewParts): Previews | null {
  const { readSource, openSource, streamSource, previewStore: store } = files;
  if (store === null) return null;
  return openPreviews({
    ...parts,
    readSource,
    openSource,
    streamSource,
    store,
    isEager: config.previews?.isEager ?? false,
    isShared: config.previews?.bucket != null,
  });
}
