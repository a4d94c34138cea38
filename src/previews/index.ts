export type { Address } from './address.ts';
export {
  fit,
  formatNamed,
  negotiate,
  pictureSize,
  previewTypes,
  previewWidths,
  widthFor,
  widthNamed,
  widthsOf,
} from './ladder.ts';
export type { PreviewKind, PreviewWidth } from './ladder.ts';
export { openPreviews } from './previews.ts';
export type { Previews } from './previews.ts';
export type { Preview } from './make-preview.ts';
export { removePreviews } from './remove-previews.ts';
export { startRemovals } from './removals.ts';
export { openPreviewStore } from './open-preview-store.ts';
export { videoType } from './video-files.ts';
export type { VideoStream } from './video-files.ts';
