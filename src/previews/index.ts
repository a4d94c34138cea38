export type { Address, Shown } from './address.ts';
export { formatNamed, negotiate, previewTypes, previewWidths, widthFor, widthNamed } from './ladder.ts';
export type { PreviewWidth } from './ladder.ts';
export { openPreviews } from './previews.ts';
export type { Preview, Previews, Wanted } from './previews.ts';
export { openFileStore, openPreviewStore } from './store.ts';
export type { PreviewStore } from './store.ts';
