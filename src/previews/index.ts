export type { Address, AddressUse, Shown } from './address.ts';
export { filmstripFrames } from '../analysis/index.ts';
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
export type { PreviewPath, Previews } from './previews.ts';
export type { Preview, WantedPreview } from './make-preview.ts';
export { removePreviews } from './remove-previews.ts';
export { openPreviewStore } from './open-preview-store.ts';
export { videoType } from './video-files.ts';
export type { VideoStream } from './video-files.ts';
