import type { Facts, SeenObject } from '../facts.ts';

/**
 * How sure the detector must be before something becomes a keyword, whose confidence goes with it, and before a sentence
 * says that it is there. It knows people well; among other things it takes a pig for a dog, and tomatoes for apples.
 */
const needed = { keyword: 0.45, sentence: { person: 0.6, other: 0.65 } } as const;

/** Whether a thing is surely enough there to be told of. */
export function isSure({ label, confidence }: SeenObject, telling: 'keyword' | 'sentence'): boolean {
  const { keyword, sentence } = needed;
  return confidence >= (telling === 'keyword' ? keyword : sentence[label === 'person' ? 'person' : 'other']);
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
