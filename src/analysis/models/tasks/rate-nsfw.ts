import type { Facts } from '../../facts.ts';
import { ModelError } from '../model-error.ts';
import { rowsOfBatch, runOnPictures } from '../tools.ts';
import type { TaskOf } from '../tools.ts';
import { activate } from './activate.ts';

/** Rates how unsafe pictures are: the sum of the probabilities of the unsafe classes. */
export async function rateNsfw(task: TaskOf<'nsfw'>, jpegs: readonly Uint8Array[]): Promise<Facts['nsfw'][]> {
  const { files, labels, unsafe, activation, thresholds } = task.entry;
  const { session, outputs } = await runOnPictures(task, files.image, jpegs);
  return rowsOfBatch(outputs[session.outputNames[0] ?? ''], jpegs.length).map((scores) => {
    if (scores.length !== labels.length) {
      throw new ModelError('failed', `the model has ${scores.length} classes, and models.json ${labels.length} labels`);
    }
    const probabilities = activate(scores, activation);
    const sum = labels.reduce(
      (total, label, index) => total + (unsafe.includes(label) ? (probabilities[index] ?? 0) : 0),
      0,
    );
    const confidence = Math.min(1, sum);
    return { isNsfw: confidence >= thresholds.nsfw, confidence };
  });
}
