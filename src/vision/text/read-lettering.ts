import type { View } from '../analyzers.ts';
import type { Language, Lettering, TextLine } from '../facts.ts';
import { clip } from '../models/boxes.ts';
import type { Raster } from '../raster.ts';
import { findLines } from './find-lines.ts';
import type { Line } from './find-lines.ts';
import { cutLine, turnOver } from './patch.ts';
import type { Patch } from './patch.ts';
import { openReader, readLine } from './tesseract.ts';
import type { Word } from './tesseract.ts';

/** Tesseract's codes for the languages. */
const codes: Readonly<Record<Language, string>> = { en: 'eng', es: 'spa', pt: 'por', fr: 'fra', ru: 'rus' };

const limits = {
  /** Of words, 0 to 100; phantoms on photographs stay below in all but rare cases. */
  word: 55,
  line: 70,
  /** Lines that are read in every language to find out which it is. */
  samples: 3,
  /** What the wanted language is ahead by, in points of confidence. */
  wanted: 2,
  lines: 60,
} as const;

type Read = Readonly<{ line: Line; patch: Patch; words: readonly Word[]; confidence: number }>;
type Reading = Readonly<{ lang: Language; lines: readonly Read[]; isOver: boolean }>;

/** What is written in a picture. */
export async function readLettering(
  raster: Raster,
  { langs, tessdataDir, warn }: Pick<View, 'langs' | 'tessdataDir' | 'warn'>,
): Promise<Lettering> {
  const available = await availableLanguages({ langs, tessdataDir, warn });
  for (const isSideways of [false, true]) {
    const upright = isSideways ? quarterTurn(raster) : raster;
    const reading = await readUpright(upright, { langs, available, tessdataDir });
    if (reading !== null) return toLettering(reading, upright, isSideways);
  }
  return { text: '', lines: [], turned: 0 };
}

type Languages = Readonly<{ langs: readonly Language[]; available: readonly Language[]; tessdataDir: string | null }>;

/** Those that are wanted and those that are packaged, as far as their data is here. */
async function availableLanguages({ langs, tessdataDir, warn }: Pick<View, 'langs' | 'tessdataDir' | 'warn'>) {
  const available: Language[] = [];
  for (const lang of new Set<Language>([
    ...langs,
    'en',
    'es',
    'pt',
    'fr',
    ...(tessdataDir === null ? [] : ['ru' as const]),
  ])) {
    if ((await openReader(codes[lang], tessdataDir)) !== null) available.push(lang);
    else if (langs.includes(lang)) {
      const message = `lettering in '${lang}' cannot be read: ${codes[lang]}.traineddata is not in TESSDATA_DIR`;
      warn({ code: 'ocr_language_unavailable', message });
    }
  }
  return available;
}

async function readUpright(raster: Raster, languages: Languages): Promise<Reading | null> {
  const patches = findLines(raster)
    .slice(0, limits.lines)
    .map((line) => ({ line, patch: cutLine(raster, line) }));
  if (patches.length === 0) return null;
  const { lang, isOver } = await findLanguage(patches, languages);
  const lines: Read[] = [];
  for (const each of patches) {
    const read = await readPatch(each, { lang, isOver, tessdataDir: languages.tessdataDir });
    if (read !== null) lines.push(read);
  }
  return lines.length === 0 ? null : { lang, isOver, lines };
}
