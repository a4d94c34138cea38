import type { Facts, SeenObject } from '../facts.ts';

/**
 * How sure the detector must be before something becomes a keyword, and before a sentence says that it is there. It
 * knows people well; among other things it takes a pig for a dog, and tomatoes for apples.
 */
const needed = {
  person: { keyword: 0.45, sentence: 0.6 },
  other: { keyword: 0.55, sentence: 0.65 },
} as const;

/** Whether a thing is surely enough there to be told of. */
export function isSure({ label, confidence }: SeenObject, telling: 'keyword' | 'sentence'): boolean {
  return confidence >= needed[label === 'person' ? 'person' : 'other'][telling];
}

/** Things that are surely there, with how many of each. */
export function countThings({ objects = [], faces = [] }: Partial<Facts>): Map<string, number> {
  const counts = new Map<string, number>();
  const sure = objects.filter((each) => isSure(each, 'sentence'));
  for (const { label } of sure) counts.set(label, (counts.get(label) ?? 0) + 1);
  // A face is a person; who turns away is seen by the other detector only.
  const people = Math.max(faces.length, counts.get('person') ?? 0);
  if (people > 0) counts.set('person', people);
  return counts;
}
