import { join } from 'node:path';
import { cocoClasses } from '../../src/analysis/captions/coco.ts';
import { languages } from '../../src/analysis/index.ts';
import type { AnalyzerName, DetectedObject, Facts, ImageAnalyzer, Language } from '../../src/analysis/index.ts';
import { averagePrecision } from '../ranking/measures.ts';
import { editDistance } from './edit-distance.ts';
import { nameOf } from './truths.ts';
import type { CorpusText, Photograph } from './truths.ts';

/** A row of the table: what is measured, its value, and the pictures on which it fails. */
export type Row = Readonly<{ what: string; value: string; fails: readonly string[] }>;
export type Found = Readonly<{ photograph: Photograph; facts: Partial<Facts> }>;

/** Analyzes a picture; results that failed are left out and reported on standard error. */
export async function analyze(
  imageAnalyzer: ImageAnalyzer,
  path: string,
  want: readonly AnalyzerName[],
  langs: readonly Language[] = ['en'],
): Promise<Partial<Facts>> {
  const here = want.filter((name) => imageAnalyzer.names.includes(name));
  const { outcomes } = await imageAnalyzer.analyze({ path, want: here, langs, isUrgent: true });
  const facts = Object.entries(outcomes).flatMap(([name, outcome]) => {
    if (outcome.error === undefined) return [[name, outcome.result] as const];
    process.stderr.write(`${nameOf(path)}: ${name}: ${outcome.error.message}\n`);
    return [];
  });
  return Object.fromEntries(facts) as Partial<Facts>;
}

const objectLabels = cocoClasses.map(({ en }) => en.one);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const percent = (part: number) => `${(100 * part).toFixed(1)} %`;

/** Wrong characters, by the background of the text, with the language of the text requested. */
export async function measureText(
  imageAnalyzer: ImageAnalyzer,
  folder: string,
  texts: readonly CorpusText[],
): Promise<Row[]> {
  const read = [];
  for (const text of texts) {
    const { ocr } = await analyze(imageAnalyzer, join(folder, text.file), ['ocr'], [text.language as Language]);
    read.push({ ...text, wrong: editDistance(ocr?.text ?? '', text.full_text) });
  }
  const kinds = {
    'on plain ground': read.filter((each) => !each.photo_background && each.language !== 'ru'),
    'on photographs': read.filter((each) => each.photo_background),
    'in Cyrillic letters': read.filter((each) => each.language === 'ru'),
  };
  return Object.entries(kinds).map(([kind, own]) => {
    const [wrong, all] = [own.map((each) => each.wrong), own.map((each) => each.full_text.length)].map(
      (values) => mean(values) * values.length,
    ) as [number, number];
    const fails = own.filter((each) => each.wrong > 0).map(({ file }) => nameOf(file));
    return { what: `OCR ${kind}: wrong characters`, value: `${percent(wrong / all)} of ${all}`, fails };
  });
}

function share(what: string, all: readonly Found[], isRight: (found: Found) => boolean): Row {
  const fails = all.filter((each) => !isRight(each)).map(({ photograph }) => nameOf(photograph.file));
  return { what, value: `${all.length - fails.length} of ${all.length}`, fails };
}

export function measureFaces(found: readonly Found[]): Row[] {
  const stated = found.filter(({ photograph }) => photograph.faces !== null);
  return [
    share('faces: the right number', stated, ({ photograph, facts }) => facts.faces?.length === photograph.faces),
    share('OCR: nothing read where there is no text', found, ({ facts }) => (facts.ocr?.text ?? '') === ''),
  ];
}

/**
 * Average precision when pictures are ranked by the confidence of a label: the mean over labels that occur somewhere.
 */
export function measureObjects(found: readonly Found[]): Row[] {
  const labels = new Set(found.flatMap(({ facts }) => (facts.objects ?? []).map(({ label }) => label)));
  const there = (label: string) =>
    found.filter(({ photograph }) => photograph.shows.has(label)).map(({ photograph }) => photograph.file);
  const known = objectLabels.filter((label) => there(label).length > 0);
  const confidence = ({ facts }: Found, label: string) =>
    Math.max(0, ...(facts.objects ?? []).filter((each) => each.label === label).map((each) => each.confidence));
  const precision = known.map((label) => {
    const ranked = found
      .filter((each) => confidence(each, label) > 0)
      .toSorted((a, b) => confidence(b, label) - confidence(a, label));
    return averagePrecision(
      ranked.map(({ photograph }) => photograph.file),
      new Set(there(label)),
    );
  });
  const isWrong = ({ photograph }: Found, { label, isConfirmed }: DetectedObject) =>
    isConfirmed && !photograph.shows.has(label);
  return [
    {
      what: `objects: mAP of ${known.length} kinds by picture`,
      value: mean(precision).toFixed(2),
      fails: known.filter((label) => !labels.has(label)).flatMap((label) => there(label).map(nameOf)),
    },
    share(
      'objects: confirmed ones are all there',
      found,
      (each) => !each.facts.objects?.some((one) => isWrong(each, one)),
    ),
  ];
}

/**
 * The fraction of the first five keywords of each picture that are true and have a word in the language; only for
 * pictures with keywords.
 */
export function measureKeywords(found: readonly Found[]): Row[] {
  const some = found.filter(({ facts }) => (facts.concepts ?? []).length > 0);
  const first = ({ facts }: Found) => (facts.concepts ?? []).slice(0, 5);
  return languages.map((lang) => {
    const parts = some.map((each) => {
      const right = first(each).filter(({ labels }) => each.photograph.shows.has(labels.en) && labels[lang] !== '');
      return { name: nameOf(each.photograph.file), part: right.length / first(each).length };
    });
    const value = `${mean(parts.map(({ part }) => part)).toFixed(2)} in ${some.length} of ${found.length} pictures`;
    const fails = parts.filter(({ part }) => part < 1).map(({ name }) => name);
    return { what: `keywords: precision at 5, ${lang}`, value, fails };
  });
}

/**
 * Whether captions name only things that are in the picture, out of all for which the corpus and the object model
 * have words.
 */
export function measureCaptions(found: readonly Found[]): Row[] {
  const vocabulary = new Set([...objectLabels, ...found.flatMap(({ photograph }) => [...photograph.shows])]);
  const captions = found.filter(({ facts }) => (facts.caption?.en ?? '') !== '');
  const isTrue = ({ photograph, facts }: Found) =>
    [...vocabulary].every((word) => {
      const plural = cocoClasses.find(({ en }) => en.one === word)?.en.many ?? `${word}s`;
      const isNamed = [word, plural].some((form) => new RegExp(`\\b${form}\\b`, 'i').test(facts.caption?.en ?? ''));
      return !isNamed || photograph.shows.has(word);
    });
  const silent = found.filter((each) => !captions.includes(each)).map(({ photograph }) => nameOf(photograph.file));
  return [
    share('captions: name only what is there', captions, isTrue),
    { what: 'captions: pictures that have one', value: `${captions.length} of ${found.length}`, fails: silent },
  ];
}

export function measureNsfw(found: readonly Found[]): Row[] {
  const rated = found.filter(({ facts }) => facts.nsfw !== undefined);
  const what = 'nsfw: safe photographs without a false alarm';
  if (rated.length === 0) return [{ what, value: 'no model', fails: [] }];
  return [share(what, rated, ({ facts }) => facts.nsfw?.isNsfw === false)];
}
