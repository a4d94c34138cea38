import type { View } from '../view.ts';
import type { Box, Language, OcrResult, TextLine, Warning } from '../facts.ts';
import { clip } from '../analyzers/boxes.ts';
import { languageByWords } from '../own-words.ts';
import type { Raster } from '../raster.ts';
import { isMostlyIn } from './bounds.ts';
import { findLines, findShapes, rotateShapes } from './find-lines.ts';
import type { Line } from './join-letters.ts';
import { codes, readBest, readCut, readOn, toCut, worth } from './read-line.ts';
import type { Cut, Read } from './read-line.ts';
import { hasReader } from './tesseract.ts';
import { isAmbiguous, isStrange, isUnread } from './unread.ts';

const limits = {
  /** Number of lines that are read in every candidate language to detect theirs. */
  samples: 2,
  /** Bonus for the wanted language, in points of confidence. */
  wanted: 0.5,
  /** Lines that read at least this well are certainly upright. */
  upright: 80,
  lines: 60,
  /**
   * Below this mean no other language of the same script is tried. Measured: a line scores 65 or more in another Latin
   * language than its own, rows of leaves and stones at most 40.
   */
  hopeless: 45,
} as const;

/** Minimum confidence of a line, by its number of letters; short lines need more: three stripes may look like a word. */
const minConfidence = [
  { letters: 8, confidence: 70 },
  { letters: 5, confidence: 80 },
  { letters: 3, confidence: 92 },
] as const;

type Reading = Readonly<{ lang: Language; lines: readonly Read[]; isOver: boolean; hasUnread: boolean }>;

/** Reads the text in a picture. */
export async function readOcr(
  raster: Raster,
  { langs, tessdataDir, warn }: Pick<View, 'langs' | 'tessdataDir' | 'warn'>,
): Promise<OcrResult> {
  const available = await availableLanguages(langs, tessdataDir);
  const languages = { langs, available, tessdataDir };
  const shapes = findShapes(raster);
  const upright = await readLines(raster, findLines(shapes), languages);
  // Textures have rows in every direction, so sideways text counts only if some of it is readable.
  const isUpright = upright.lines.length > 0;
  const rows = isUpright ? [] : findLines(rotateShapes(shapes));
  const turned = rows.length === 0 ? null : quarterRotation(raster);
  const sideways = turned && (await readLines(turned, rows, languages));
  if ((sideways !== null && sideways.lines.length > 0 ? sideways : upright).hasUnread) warn(unread(langs, available));
  if (isUpright) return toOcrResult(upright, raster, false);
  if (turned !== null && sideways !== null && sideways.lines.length > 0) return toOcrResult(sideways, turned, true);
  return { text: '', lines: [], turned: 0 };
}

/** Creates the warning about text that no installed language can read, with a remedy. */
function unread(langs: readonly Language[], available: readonly Language[]): Warning {
  const [missing = 'ru'] = langs.filter((lang) => !available.includes(lang));
  const which = available.includes(missing) ? '' : `, such as ${codes[missing]}.traineddata for '${missing}'`;
  return {
    code: 'ocr_language_unavailable',
    message: `the picture has text that the installed languages cannot read (${available.join(', ')}); add Tesseract data to TESSDATA_DIR${which}`,
  };
}

type Languages = Readonly<{ langs: readonly Language[]; available: readonly Language[]; tessdataDir: string | null }>;

/** Returns the wanted and the packaged languages whose data is installed. */
async function availableLanguages(langs: readonly Language[], tessdataDir: string | null): Promise<Language[]> {
  const available: Language[] = [];
  const more: readonly Language[] = tessdataDir === null ? [] : ['ru'];
  for (const lang of new Set<Language>([...langs, 'en', 'es', 'pt', 'fr', ...more])) {
    if (await hasReader(codes[lang], tessdataDir)) available.push(lang);
  }
  return available;
}

/** Reads the text in rows of letters; returns no lines if nothing in them reads like language. */
async function readLines(raster: Raster, rows: readonly Line[], languages: Languages): Promise<Reading> {
  const cuts = rows.slice(0, limits.lines).map((line) => toCut(raster, line));
  if (cuts.length === 0) return { lang: 'en', lines: [], isOver: false, hasUnread: false };
  const { lang, isOver } = await findLanguage(cuts.slice(0, limits.samples), languages);
  const way = { lang, isOver, tessdataDir: languages.tessdataDir };
  const isExpected = !languages.available.includes(languages.langs[0] ?? 'en');
  const lines: Read[] = [];
  let hasUnread = false;
  for (const cut of cuts) {
    const read = await readBest(raster, cut, way);
    hasUnread ||= isUnread(read, isExpected);
    if (isBelievable(read)) lines.push(await readOn(raster, read, way));
  }
  return {
    lang,
    isOver,
    lines: withoutRepeats(hasUnread ? lines.filter((read) => !isAmbiguous(read)) : lines),
    hasUnread,
  };
}

/** Detects the language, and whether the lines are upside down, from the best reading of a few lines. */
async function findLanguage(cuts: readonly Cut[], { langs, available, tessdataDir }: Languages) {
  const readAll = async (lang: Language, isOver: boolean) => {
    let score = langs[0] === lang ? limits.wanted * cuts.length : 0;
    const words: string[] = [];
    for (const cut of cuts) {
      const read = await readCut(cut, { lang, isOver, tessdataDir });
      score += read.fluency;
      words.push(...read.words.map(({ text }) => text));
    }
    return { lang, isOver, score, text: words.join(' ') };
  };
  const first = available.find((lang) => lang === langs[0]) ?? available[0] ?? 'en';
  const enough = limits.upright * cuts.length;
  const readBothWays = async (lang: Language) => {
    const upright = await readAll(lang, false);
    return upright.score < enough ? better(upright, await readAll(lang, true)) : upright;
  };
  const isHopeless = ({ score }: Readonly<{ score: number }>) => score < limits.hopeless * cuts.length;
  let best = await readBothWays(first);
  // Text unreadable in one script may be in the other script, but hardly in another language of the same script.
  const other = available.find((lang) => isLatin(lang) !== isLatin(first));
  if (isHopeless(best) && other !== undefined) best = better(best, await readBothWays(other));
  if (isHopeless(best)) return best;
  // Each language takes as long as the first: if the words show which one it is, no other is tried.
  const detected = languageByWords(best.text, best.lang);
  for (const lang of available.filter((each) => each !== first && each !== best.lang)) {
    if (detected === null || detected === lang) best = better(best, await readAll(lang, best.isOver));
  }
  return best;
}

const isLatin = (lang: Language) => lang !== 'ru';
const better = <R extends Readonly<{ score: number }>>(a: R, b: R): R => (b.score > a.score ? b : a);

/** Whether a line is text and not a pattern: confident, about as many letters as shapes were found, and mostly letters. */
function isBelievable({ line, words, confidence }: Read): boolean {
  const text = words.map((word) => word.text).join('');
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  const least = minConfidence.find((each) => letters >= each.letters)?.confidence ?? Infinity;
  return (
    confidence >= least &&
    !isStrange({ words }) &&
    letters >= text.length * 0.7 &&
    letters >= line.letters.length * 0.4 &&
    line.letters.length >= letters * 0.4
  );
}

/** Drops duplicates: an extended line may include text that was found as another line. */
function withoutRepeats(lines: readonly Read[]): Read[] {
  const kept: Read[] = [];
  for (const read of lines.toSorted((a, b) => worth(b) - worth(a))) {
    if (!kept.some(({ line }) => isMostlyIn(read.line, line))) kept.push(read);
  }
  return kept;
}

function toOcrResult({ lang, isOver, lines }: Reading, raster: Raster, isSideways: boolean): OcrResult {
  const sorted = lines.toSorted((a, b) => (isOver ? b.line.top - a.line.top : a.line.top - b.line.top));
  const all = sorted.map((read): TextLine => {
    const text = read.words.map((word) => word.text).join(' ');
    return { text, lang, confidence: Math.round(read.confidence) / 100, box: boxOf(read.line, raster, isSideways) };
  });
  const turned = ((isSideways ? 270 : 0) + (isOver ? 180 : 0)) % 360;
  return { text: all.map(({ text }) => text).join('\n'), lines: all, turned: turned as OcrResult['turned'] };
}

/** Returns a line's box in the unrotated picture; one with sideways text was rotated clockwise for reading. */
function boxOf({ left, top, right, bottom }: Line, { width, height }: Raster, isSideways: boolean): Box {
  const box = { x: left / width, y: top / height, w: (right - left) / width, h: (bottom - top) / height };
  return clip(isSideways ? { x: box.y, y: 1 - box.x - box.w, w: box.h, h: box.w } : box);
}

/** Columns that are rotated together, so that the rows which they become stay in the processor's cache. */
const columnsAtOnce = 32;

/** Rotates a picture clockwise by 90°: the left edge becomes the top. */
function quarterRotation({ data, width, height, channels }: Raster): Raster {
  const turned = new Uint8Array(data.length);
  for (let left = 0; left < width; left += columnsAtOnce) {
    const right = Math.min(width, left + columnsAtOnce);
    for (let y = 0; y < height; y += 1) {
      let from = (y * width + left) * channels;
      let to = (left * height + (height - 1 - y)) * channels;
      for (let x = left; x < right; x += 1, from += channels, to += height * channels) {
        turned[to] = data[from] as number;
        turned[to + 1] = data[from + 1] as number;
        turned[to + 2] = data[from + 2] as number;
        if (channels === 4) turned[to + 3] = data[from + 3] as number;
      }
    }
  }
  return { data: turned, width: height, height: width, channels };
}
