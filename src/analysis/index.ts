import type { EmbeddedFields } from './analyzers/embedded.ts';

export { shownValues } from './analyzers.ts';
export type { Analysis, AnalysisRequest, Handling } from './analysis.ts';
export { nameOfColor } from './analyzers/colors.ts';
export type { Color } from './analyzers/colors.ts';
export { align } from './fingerprint/align.ts';
export type { Alignment } from './fingerprint/align.ts';
export { readRaster } from './decode.ts';
export type { ImageFacts } from './decode.ts';
export { groundFraction, lumaCorrelation, lumaSide, miniatureDifference } from './fingerprint/miniature.ts';
export { overlapOf } from './fingerprint/overlap.ts';
export type { Overlap } from './fingerprint/overlap.ts';
export { pdqDistance } from './fingerprint/pdq.ts';
export { previewFormats, previewHeightRatio } from './preview-formats.ts';
export type { PreviewFormat } from './preview-formats.ts';
export { decodeCost, isLarge } from './decode-cost.ts';
export { decodeMemoryBytes, decodeSeconds, maxPixels } from './limits.ts';
export type { Region } from './fingerprint/plane.ts';
export { regionBytes, regionCount, regionHashBytes, toRegionQuery } from './fingerprint/regions.ts';
export { detailsOf, mirrored, packDetails, signPicture, unpackDetails } from './fingerprint/signature.ts';
export type { Details, Signature } from './fingerprint/signature.ts';
export { rotateHash, rotations } from './fingerprint/spectrum.ts';
export type { Rotation } from './fingerprint/spectrum.ts';
export { edits, openOriginal, saveEdit } from './edits.ts';
export type { Edit, EditClass } from './edits.ts';
export * from './facts.ts';
export { openBuiltinAnalyzer } from './open-builtin-analyzer.ts';
export type { BuiltinAnalyzer } from './open-builtin-analyzer.ts';
export { nameObject } from './captions/coco.ts';
export { analyzerOptions, openImageAnalyzer } from './open-image-analyzer.ts';
export type { ImageAnalyzer } from './image-analyzer.ts';
/** What a file, or a sidecar in XMP, says of its picture: see `readEmbedded`. */
export async function readFileMetadata(bytes: Buffer, lang: string): Promise<EmbeddedFields> {
  return (await import('./analyzers/embedded.ts')).readEmbedded(bytes, lang);
}
export { createVideoReader } from './video/reader.ts';
export type { VideoReader, VideoSource } from './video/reader.ts';
export { posterSide, filmstripFrames } from './video/messages.ts';
export type { VideoStill } from './video/messages.ts';
export { isSameVideo } from './video/same-video.ts';
export { loadDecoder } from './video/decoder.ts';
export { findTransformers } from './providers/local/find-transformers.ts';
export { mergeFrames } from './video/merge-frames.ts';
