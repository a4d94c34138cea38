import { access, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { loadOnce, loadOnceEach } from '../../lib/load-once.ts';
import type { GrayImage } from './components.ts';

/** The part of the tesseract.js 7 core that is used here: Tesseract 5 as WebAssembly. */
type Core = Readonly<{
  FS: { writeFile: (path: string, bytes: Uint8Array) => void; unlink: (path: string) => void };
  TessBaseAPI: new () => Api;
}>;
type Api = Readonly<{
  Init: (folder: null, language: string, engine: number) => number;
  SetVariable: (name: string, value: string) => boolean;
  SetImageFile: (exifOrientation: number, angle: number) => number;
  Recognize: (monitor: null) => number;
  GetJSONText: () => string;
}>;
type Found = Readonly<{
  text: string;
  confidence: number;
  bbox: Readonly<{ x0: number; y0: number; x1: number; y1: number }>;
}>;
type Blocks = Readonly<{
  blocks: readonly Readonly<{
    paragraphs: readonly Readonly<{ lines: readonly Readonly<{ words: readonly Found[] }>[] }>[];
  }>[];
}>;

/** One word; its position is in pixels of the image that was read. */
export type Word = Readonly<{ text: string; /** 0 to 100. */ confidence: number; left: number; right: number }>;

const packaged = ['eng', 'spa', 'fra', 'por'] as const;
/** Neural recognition only; the packaged data supports no other. */
const lstmOnly = 1;
const singleLine = '7';

const require = createRequire(import.meta.url);
const loadCore = loadOnce(startCore);

/** Returns a reader of one language, by Tesseract's code for it; null if its data is not installed. */
export const openReader = loadOnceEach(loadReader);

async function loadReader(code: string, tessdataDir: string | null): Promise<Api | null> {
  const data = await readLanguage(code, tessdataDir);
  if (data === null) return null;
  const core = await loadCore();
  const file = `/${code}.traineddata`;
  core.FS.writeFile(file, data);
  const api = new core.TessBaseAPI();
  if (api.Init(null, code, lstmOnly) !== 0) throw new Error(`Tesseract cannot load the language data of ${code}`);
  // The reader has its own copy in memory now, and files of this file system take memory as well.
  core.FS.unlink(file);
  api.SetVariable('tessedit_pageseg_mode', singleLine);
  // Lines are dark on light already: unreadable ones need not be tried inverted as well, which takes as long again.
  api.SetVariable('tessedit_do_invert', '0');
  api.SetVariable('invert_threshold', '0');
  return api;
}

function startCore(): Promise<Core> {
  const fromTesseract = createRequire(require.resolve('tesseract.js'));
  const create = fromTesseract('tesseract.js-core/tesseract-core-simd-lstm') as (options: object) => Promise<Core>;
  return create({ TesseractProgress: () => {} });
}

/** Whether a language's data is installed. It is loaded only when a line is read in it: most pictures need at most one. */
export async function hasReader(code: string, tessdataDir: string | null): Promise<boolean> {
  return isPackaged(code) || (await ownFile(code, tessdataDir)) !== null;
}

const isPackaged = (code: string) => (packaged as readonly string[]).includes(code);

/** Path of a language's file in TESSDATA_DIR; null if there is none. */
async function ownFile(code: string, tessdataDir: string | null): Promise<string | null> {
  if (tessdataDir === null) return null;
  const file = join(tessdataDir, `${code}.traineddata`);
  return await access(file).then(
    () => file,
    () => null,
  );
}

async function readLanguage(code: string, tessdataDir: string | null): Promise<Uint8Array | null> {
  const file = await ownFile(code, tessdataDir);
  if (file !== null) return readFile(file);
  if (!isPackaged(code)) return null;
  const folder = dirname(require.resolve(`@tesseract.js-data/${code}`));
  return promisify(gunzip)(await readFile(join(folder, '4.0.0_best_int', `${code}.traineddata.gz`)));
}

/** Reads an image of one line, dark on light. */
export async function readLine(reader: Api, code: string, { values, width, height }: GrayImage): Promise<Word[]> {
  const core = await loadCore();
  core.FS.writeFile('/input', Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), values]));
  if (reader.SetImageFile(1, 0) === 1) throw new Error(`Tesseract cannot read a line (${code})`);
  reader.Recognize(null);
  const { blocks } = JSON.parse(reader.GetJSONText()) as Blocks;
  return (blocks ?? [])
    .flatMap(({ paragraphs }) => paragraphs)
    .flatMap(({ lines }) => lines)
    .flatMap(({ words }) => words)
    .map(({ text, confidence, bbox }) => ({ text: text.trim(), confidence, left: bbox.x0, right: bbox.x1 }))
    .filter(({ text }) => text !== '');
}
