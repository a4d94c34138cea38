import { z } from 'zod';
import type { Caption, Concept, Language, OcrResult } from '../../facts.ts';
import { languages } from '../../facts.ts';
import { ProviderError, toDirection } from '../provider.ts';

/** The name of a concept in each language. */
export type Labels = Readonly<Record<Language, string>>;

/** Scores of classes, as classifiers return them. */
export type Scores = readonly Readonly<{ label: string; score: number }>[];

/** Classes with a lower score are noise of a softmax over many classes. */
const leastScore = 0.05;
const maxConcepts = 20;
/** Language models state no probability; the concepts that they name rank below measured ones. */
const statedConfidence = 0.6;
const longestText = 10_000;

const harmless = /^(?:normal|sfw|safe|neutral|drawings?)$/i;

/** Concepts of a classifier that chose among `candidates` by their English names. */
export function conceptsOfScores(scores: Scores, candidates: readonly Labels[]): Concept[] {
  const byName = new Map(candidates.map((labels) => [labels.en, labels]));
  return scores
    .flatMap(({ label, score }) => {
      const labels = byName.get(label);
      return labels === undefined || score < leastScore ? [] : [{ labels, confidence: Math.min(1, score) }];
    })
    .toSorted((a, b) => b.confidence - a.confidence)
    .slice(0, maxConcepts)
    .map((concept) => ({ ...concept, source: 'model' as const }));
}

export function nsfwOfScores(scores: Scores): Readonly<{ isNsfw: boolean; confidence: number }> {
  if (scores.length === 0) throw new ProviderError('failed', 'the classifier returned no class');
  const share = scores.filter(({ label }) => !harmless.test(label)).reduce((sum, { score }) => sum + score, 0);
  const confidence = Math.min(1, Math.max(0, share));
  return { isNsfw: confidence >= 0.5, confidence };
}

/** The vector of a response for one input, which may be nested in lists of one element. @throws ProviderError for several. */
export function directionOf(answer: unknown): Int8Array {
  let vector = answer;
  while (Array.isArray(vector) && vector.length === 1 && Array.isArray(vector[0])) vector = vector[0];
  const read = z.array(z.number()).min(8).max(8192).safeParse(vector);
  if (read.success) return toDirection(read.data);
  throw new ProviderError('failed', 'the model did not return exactly one vector');
}

/** The vectors of several texts, in their order. @throws ProviderError with the cause `count` if their number is wrong. */
export function directionsOf(answer: unknown, count: number): Int8Array[] {
  if (Array.isArray(answer) && answer.length === count) return answer.map(directionOf);
  throw new ProviderError('failed', `the model did not return ${count} vectors`, { cause: 'count' });
}

export function captionOfText(text: string): Caption {
  const sentence = text.trim().slice(0, longestText);
  if (sentence === '') throw new ProviderError('failed', 'the model returned an empty caption');
  return { en: sentence };
}

/** A text as an OCR result: models that read text do not report where it is. */
export function ocrOfText(text: string, lang: string): OcrResult {
  const whole = { x: 0, y: 0, w: 1, h: 1 };
  const lines = text
    .slice(0, longestText)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== '(none)');
  return {
    text: lines.join('\n'),
    lines: lines.map((line) => ({ text: line, lang, confidence: statedConfidence, box: whole })),
    turned: 0,
  };
}

const chatSchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
  usage: z
    .object({ prompt_tokens: z.number().optional(), completion_tokens: z.number().optional() })
    .nullish()
    .transform((usage) => ({ tokensIn: usage?.prompt_tokens ?? 0, tokensOut: usage?.completion_tokens ?? 0 })),
});

/** The text of a chat response, and its token cost. */
export function textOfChat(answer: unknown): Readonly<{ text: string; tokensIn: number; tokensOut: number }> {
  const read = chatSchema.safeParse(answer);
  if (!read.success) throw new ProviderError('failed', 'the model returned no chat message');
  const [choice] = read.data.choices;
  return { text: choice?.message.content.trim() ?? '', ...read.data.usage };
}

const captionSchema = z.partialRecord(z.enum(languages), z.string().trim().min(1).max(longestText));
const labelsSchema = z.array(z.partialRecord(z.enum(languages), z.string().trim().min(1).max(200))).max(200);

/** The captions in a chat's answer, which should be a JSON object; null if it has none of the wanted languages. */
export function captionOfChat(text: string, langs: readonly Language[]): Caption | null {
  const read = captionSchema.safeParse(jsonIn(text));
  const wanted = Object.entries(read.data ?? {}).filter(([lang]) => langs.includes(lang as Language));
  return wanted.length === 0 ? null : Object.fromEntries(wanted);
}

/** The keywords in a chat's answer, which should be a JSON array of their names in each language. */
export function conceptsOfChat(text: string): Concept[] {
  const read = labelsSchema.safeParse(jsonIn(text));
  if (!read.success) throw new ProviderError('failed', 'the model returned no keywords');
  return read.data
    .flatMap((labels) => {
      const { en } = labels;
      const all = Object.fromEntries(languages.map((lang) => [lang, labels[lang] ?? en]));
      return en === undefined
        ? []
        : [{ labels: all as Labels, confidence: statedConfidence, source: 'model' as const }];
    })
    .slice(0, maxConcepts);
}

/** Models tend to put JSON into a code fence, or to write a sentence before it. */
function jsonIn(text: string): unknown {
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf(']'), text.lastIndexOf('}'));
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    return undefined;
  }
}
