import type { Facts } from '../facts.ts';

/** Counts confirmed objects by label; faces count as people. */
export function countThings({ objects = [], faces = [] }: Partial<Facts>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { label } of objects.filter((each) => each.isConfirmed)) counts.set(label, (counts.get(label) ?? 0) + 1);
  // A face is a person; a person seen from behind is found only by the other detector.
  const people = Math.max(faces.length, counts.get('person') ?? 0);
  if (people > 0) counts.set('person', people);
  return counts;
}
