import { languages } from '../../facts.ts';
import type { Concept } from '../../facts.ts';
import { keywordCandidates } from '../../providers/candidates.ts';
import type { EntryOf } from '../manifest.ts';
import { ModelError } from '../model-error.ts';
import { embedWords, rowsOfBatch, runOnPictures, vectorsOf } from '../tools.ts';
import type { TaskOf } from '../tools.ts';
import { activate } from './activate.ts';

type Labels = Concept['labels'];

const mostKeywords = 20;

/** Finds keywords of pictures: labels that a text model compares them with, or the classes of a classifier. */
export async function findKeywords(
  task: TaskOf<'keywords'>,
  jpegs: readonly Uint8Array[],
): Promise<(readonly Concept[])[]> {
  const { entry } = task;
  const labels = labelsOf(entry);
  const { session, outputs } = await runOnPictures(task, entry.files.image, jpegs);
  const scores =
    entry.files.text === undefined
      ? rowsOfBatch(outputs[session.outputNames[0] ?? ''], jpegs.length)
      : compare(vectorsOf(session, outputs, jpegs.length), await vectorsOfLabels(task, labels), entry);
  return scores.map((row) => {
    if (row.length !== labels.length) {
      throw new ModelError('failed', `the model has ${row.length} classes, and models.json ${labels.length} labels`);
    }
    return chosen(activate(row, entry.activation), labels, entry.thresholds.keywords);
  });
}

/** The labels in every language. */
function labelsOf({ labels }: EntryOf<'keywords'>): readonly Labels[] {
  if (labels === undefined) return keywordCandidates;
  return labels.map((label) => {
    const words: Readonly<Partial<Record<string, string>>> = typeof label === 'string' ? { en: label } : label;
    return Object.fromEntries(languages.map((lang) => [lang, words[lang] ?? words['en'] ?? ''])) as Labels;
  });
}

/** Vectors of the English labels, which such models know best; computed once per process. */
async function vectorsOfLabels(task: TaskOf<'keywords'>, labels: readonly Labels[]): Promise<readonly Float32Array[]> {
  const { entry, tools } = task;
  const known = tools.labelVectors.get(entry.name);
  if (known !== undefined) return known;
  const vectors: Float32Array[] = [];
  for (const { en } of labels) {
    // A function, because `$` in a label is no pattern.
    const prompt = entry.prompt.replace('{}', () => en);
    vectors.push(await embedWords(task, prompt));
  }
  tools.labelVectors.set(entry.name, vectors);
  return vectors;
}

/** Computes `factor` · cosine + `bias` for each picture and label. */
function compare(
  pictures: readonly Float32Array[],
  labels: readonly Float32Array[],
  { factor, bias }: EntryOf<'keywords'>,
): Float32Array[] {
  return pictures.map((picture) =>
    Float32Array.from(labels, (label) => {
      if (label.length !== picture.length)
        throw new ModelError('failed', 'vectors of texts and pictures differ in length');
      return factor * picture.reduce((sum, value, k) => sum + value * (label[k] ?? 0), 0) + bias;
    }),
  );
}

function chosen(probabilities: Float32Array, labels: readonly Labels[], least: number): readonly Concept[] {
  return labels
    .map((each, index) => ({ labels: each, confidence: probabilities[index] ?? 0, source: 'model' as const }))
    .filter(({ confidence }) => confidence >= least)
    .toSorted((a, b) => b.confidence - a.confidence)
    .slice(0, mostKeywords);
}
