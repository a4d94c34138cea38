import type { Facts } from '../../facts.ts';
import { toDirection } from '../../providers/provider.ts';
import { embedWords, runOnPictures, vectorsOf } from '../tools.ts';
import type { TaskOf } from '../tools.ts';

/** Embeds pictures. */
export async function embedPictures(
  task: TaskOf<'embedding'>,
  jpegs: readonly Uint8Array[],
): Promise<Facts['embedding'][]> {
  const { session, outputs } = await runOnPictures(task, task.entry.files.image, jpegs);
  return vectorsOf(session, outputs, jpegs.length).map((vector) => toDirection([...vector]));
}

/** Embeds a text in the space of the pictures. */
export async function embedText(task: TaskOf<'embedding'>, text: string): Promise<Int8Array> {
  return toDirection([...(await embedWords(task, text))]);
}
