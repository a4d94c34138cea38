import type { AnalyzerName, Facts } from '../../facts.ts';
import type { ModelEntry } from '../manifest.ts';
import type { ModelTools } from '../tools.ts';
import { embedPictures } from './embed.ts';
import { findFaceBoxes } from './find-face-boxes.ts';
import { findKeywords } from './find-keywords.ts';
import { rateNsfw } from './rate-nsfw.ts';
import { readLines } from './read-lines.ts';
import { writeCaptions } from './write-captions.ts';

/** Runs a model on pictures. @returns a result for each. @throws ModelError, or what ONNX Runtime throws. */
export async function runOwnModel(
  entry: ModelEntry,
  tools: ModelTools,
  jpegs: readonly Uint8Array[],
  lang: string,
): Promise<readonly Facts[AnalyzerName][]> {
  switch (entry.task) {
    case 'embedding':
      return embedPictures({ entry, tools }, jpegs);
    case 'keywords':
      return findKeywords({ entry, tools }, jpegs);
    case 'nsfw':
      return rateNsfw({ entry, tools }, jpegs);
    case 'faces':
      return findFaceBoxes({ entry, tools }, jpegs);
    case 'caption':
      return writeCaptions({ entry, tools }, jpegs);
    case 'ocr':
      return readLines({ entry, tools }, jpegs, lang);
  }
}
