import type { Facts, SeenObject } from '../facts.ts';

/** How sure the detector must be before something is said to be in the picture. */
export const sayable = 0.6;

/** Things that are surely there, with how many of each. */
export function countThings({ objects = [], faces = [] }: Partial<Facts>): Map<string, number> {
  const counts = new Map<string, number>();
  const sure = objects.filter(({ confidence }: SeenObject) => confidence >= sayable);
  for (const { label } of sure) counts.set(label, (counts.get(label) ?? 0) + 1);
  // A face is a person; who turns away is seen by the other detector only.
  const people = Math.max(faces.length, counts.get('person') ?? 0);
  if (people > 0) counts.set('person', people);
  return counts;
}
