import type { Language } from '../facts.ts';
import type { Raster } from '../raster.ts';
import type { Line } from './join-letters.ts';
import { capitals, cutLine, rotateHalf } from './patch.ts';
import type { Patch } from './patch.ts';
import { cutOutlined } from './outline.ts';
import { openReader, readLine } from './tesseract.ts';
import type { Word } from './tesseract.ts';

/** Tesseract's codes for the languages. */
export const codes: Readonly<Record<Language, string>> = { en: 'eng', es: 'spa', pt: 'por', fr: 'fra', ru: 'rus' };

const limits = {
  /** Minimum confidence of a word, 0 to 100; false words on photographs rarely reach it. */
  word: 55,
  /** A line is read well enough if all its words reach this confidence. */
  clean: 75,
  /** Confidence of a word whose letters are not doubtful. */
  sure: 85,
  /** Bonus for a line with accents, in points of confidence. */
  accents: 5,
  /** How far beside a line its continuation is searched for, and the widest gap between its words, in letter heights. */
  beside: 8,
  gap: 1.2,
  /** Maximum confidence that a line may lose when text beside it is added, in points. */
  loss: 3,
} as const;

export type Read = Readonly<{
  line: Line;
  patch: Patch;
  /** Words with enough confidence to be reported. */
  words: readonly Word[];
  /** Mean of these words. */
  confidence: number;
  /** Confidence of the least certain word, reported or not. */
  least: number;
  /** How well it reads as a language: mean confidence of all words, reported or not, plus a bonus for sure accents. */
  fluency: number;
}>;

/** A line with the patches to read: if its letters have an outline, also a patch with only the letters. */
export type Cut = Pick<Read, 'line' | 'patch'> & Readonly<{ outlined: Patch | null }>;
export type Way = Readonly<{ lang: Language; isOver: boolean; tessdataDir: string | null }>;

export function toCut(raster: Raster, line: Line): Cut {
  return { line, patch: cutLine(raster, line), outlined: cutOutlined(raster, line) };
}

/** Reads a line. If only part of it is readable, something may be behind it: it is read again with less background. */
export async function readBest(raster: Raster, cut: Cut, way: Way): Promise<Read> {
  const read = await readCut(cut, way);
  if (read.words.length === 0 || read.least >= limits.clean) return read;
  const strict = await readPatch(cut.line, cutLine(raster, cut.line, 'strict'), way);
  return worth(strict) > worth(read) ? strict : read;
}

/** Cached readings of a patch, by options: samples are needed again when all lines are read. */
const readings = new WeakMap<Patch, Map<string, Promise<Read>>>();

/** Returns the better reading of a line, from its patch or its outlined patch. */
export async function readCut({ line, patch, outlined }: Cut, way: Way): Promise<Read> {
  const read = await readPatch(line, patch, way);
  if (outlined === null) return read;
  const clear = await readPatch(line, outlined, way);
  return worth(clear) >= worth(read) ? clear : read;
}

function readPatch(line: Line, patch: Patch, way: Way): Promise<Read> {
  const known = readings.get(patch) ?? new Map<string, Promise<Read>>();
  readings.set(patch, known);
  const key = `${way.lang} ${way.isOver}`;
  const read = known.get(key) ?? recognize(line, patch, way);
  known.set(key, read);
  return read;
}

async function recognize(line: Line, patch: Patch, { lang, isOver, tessdataDir }: Way): Promise<Read> {
  const reader = await openReader(codes[lang], tessdataDir);
  if (reader === null) return { line, patch, words: [], confidence: 0, least: 0, fluency: 0 };
  const plane = isOver ? rotateHalf(patch.plane) : patch.plane;
  const all = await readLine(reader, codes[lang], plane);
  const least = Math.min(100, ...all.map(({ confidence }) => confidence));
  const words = all.filter(({ confidence }) => confidence >= limits.word);
  const accents = all.some(({ text, confidence }) => confidence >= limits.sure && accented.test(text));
  const fluency = meanConfidence(all) + (accents ? limits.accents : 0);
  return { line, patch, words, confidence: meanConfidence(words), least, fluency };
}

/** Mean weighted by letters: long words count more, and punctuation, which textures often produce, does not count. */
function meanConfidence(words: readonly Word[]): number {
  const letters = words.map(({ text }) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0);
  const count = letters.reduce((sum, each) => sum + each, 0);
  return words.reduce((sum, { confidence }, i) => sum + confidence * (letters[i] as number), 0) / (count || 1);
}

/** Accented letters: only readers of languages with accents return them; others omit them with the same confidence. */
const accented = /[\u00c0-\u024f]/;

/**
 * Extends a line whose ends were not found as letters because the background changes: also reads what is beside it
 * in the same color, as far as it consists of words of high confidence that continue the line.
 */
export async function readOn(raster: Raster, read: Read, way: Way): Promise<Read> {
  const { line } = read;
  const left = Math.max(0, line.left - line.height * limits.beside);
  const right = Math.min(raster.width, line.right + line.height * limits.beside);
  const isOutlined = read.patch.isOutlined ?? false;
  const wide = { ...line, left, right };
  const patch = (isOutlined ? cutOutlined(raster, wide) : null) ?? cutLine(raster, wide);
  if (!goesOn(patch, line)) return read;
  const wider = await readPatch(line, patch, way);
  const words = way.isOver ? wider.words.map((word) => mirrored(word, patch)) : wider.words;
  const run = wordsAround(line, words, patch);
  const [first, last] = [run[0], run.at(-1)];
  if (first === undefined || last === undefined) return read;
  const better = { ...read, words: way.isOver ? run.toReversed() : run, confidence: meanConfidence(run) };
  if (worth(better) <= worth(read) || better.confidence < read.confidence - limits.loss) return read;
  const [start, end] = [first.left, last.right].map((x) => patch.left + x / patch.scale) as [number, number];
  return { ...better, line: { ...line, left: Math.min(line.left, start), right: Math.max(line.right, end) } };
}

/** Whether the patch has ink of the line's color beside the line. */
function goesOn({ plane, left, scale }: Patch, line: Line): boolean {
  const from = (line.left - left) * scale - capitals * 0.3;
  const to = (line.right - left) * scale + capitals * 0.3;
  let ink = 0;
  for (let at = 0; at < plane.values.length; at += 1) {
    const x = at % plane.width;
    if ((x < from || x > to) && (plane.values[at] as number) < 100) ink += 1;
  }
  return ink > capitals * capitals * 0.15;
}

/** Returns the words of high confidence within the line, and those that continue it on both sides. */
function wordsAround({ left, right }: Line, words: readonly Word[], patch: Patch): Word[] {
  const [from, to] = [(left - patch.left) * patch.scale, (right - patch.left) * patch.scale];
  // A mark without letters or digits beside a line is the frame of a sign.
  const isWord = (word: Word) => /[\p{L}\p{N}]/u.test(word.text) || (word.right > from && word.left < to);
  const sure = words
    .filter((word) => word.confidence >= limits.sure && isWord(word))
    .toSorted((a, b) => a.left - b.left);
  let first = sure.findIndex((word) => word.right > from && word.left < to);
  let last = sure.findLastIndex((word) => word.right > from && word.left < to);
  if (first === -1) return [];
  const follows = (a: Word | undefined, b: Word | undefined) =>
    a !== undefined && b !== undefined && b.left - a.right <= capitals * limits.gap;
  while (follows(sure[first - 1], sure[first])) first -= 1;
  while (follows(sure[last], sure[last + 1])) last += 1;
  return sure.slice(first, last + 1);
}

/** Returns the position of a word in a patch that was rotated by 180° for reading. */
function mirrored(word: Word, { plane }: Patch): Word {
  return { ...word, left: plane.width - word.right, right: plane.width - word.left };
}

/** Value of a reading: the lengths of its words, weighted by confidence. */
export function worth({ words }: Read): number {
  return words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
}
