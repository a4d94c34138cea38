import { Neighbours } from './neighbours.ts';
import { Verdicts } from './verdicts.ts';

/** A record that takes part in a search for duplicates. */
export type Member = Readonly<{ id: number; pdq: Uint8Array; quality: number }>;

/** Records that show the same picture as the first of them. */
export type Group = Readonly<{ first: number; others: readonly Readonly<{ id: number; distance: number }>[] }>;

export type GroupOptions = Readonly<{
  /** Largest PDQ distance to the first of the group, 32 at most. */
  distance: number;
  /** Pictures with less to see take part only by verdict. */
  minQuality: number;
  verdicts?: Verdicts;
}>;

/**
 * Groups of duplicates. In the order given (the oldest record first, say) each record that has no
 * group yet opens one with all that are near it. So every member is near the first of its group:
 * chains, where each link is near the next and the ends are two different pictures, cannot arise.
 */
export function* findGroups(members: readonly Member[], options: GroupOptions): Generator<Group> {
  const { distance, minQuality, verdicts = new Verdicts() } = options;
  const seen = members.filter(({ quality }) => quality >= minQuality);
  const hashes = new Uint8Array(seen.length * 32);
  for (const [k, { pdq }] of seen.entries()) hashes.set(pdq, k * 32);
  const neighbours = new Neighbours(hashes, distance);
  const places = new Map(seen.map(({ id }, k) => [id, k]));
  const known = new Set(members.map(({ id }) => id));
  const taken = new Set<number>();
  for (const { id } of members) {
    if (taken.has(id)) continue;
    taken.add(id);
    const place = places.get(id);
    const near = place === undefined ? [] : neighbours.of(place).map((other) => seen[other]?.id as number);
    const others = joining(id, near, verdicts).filter((other) => known.has(other) && !taken.has(other));
    if (others.length === 0) continue;
    for (const other of others) taken.add(other);
    const measure = (other: number) => {
      const [a, b] = [place, places.get(other)];
      return a === undefined || b === undefined ? 256 : neighbours.distance(a, b);
    };
    yield { first: id, others: others.map((other) => ({ id: other, distance: measure(other) })) };
  }
}

/** Who joins the first of a group: those near it, and all said to be the same as anyone in it. */
function joining(first: number, near: readonly number[], verdicts: Verdicts): number[] {
  const isKeptApart = (id: number) => ['variant', 'different'].includes(verdicts.get(first, id) ?? '');
  const joined = new Set(near.filter((id) => !isKeptApart(id)));
  for (const id of [first, ...joined]) addSame(id, first, joined, verdicts, isKeptApart);
  return [...joined];
}

function addSame(
  id: number,
  first: number,
  joined: Set<number>,
  verdicts: Verdicts,
  isKeptApart: (id: number) => boolean,
): void {
  for (const [other, verdict] of verdicts.of(id)) {
    if (verdict !== 'same' || other === first || joined.has(other) || isKeptApart(other)) continue;
    joined.add(other);
    addSame(other, first, joined, verdicts, isKeptApart);
  }
}
