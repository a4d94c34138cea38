import { pdqDistance } from '../../vision/index.ts';
import { forNearPairs } from './near-pairs.ts';
import { Verdicts } from './verdicts.ts';

/** A record that takes part in a search for duplicates. */
export type Member = Readonly<{ id: number; pdq: Uint8Array; quality: number }>;

/** Records that show the same picture as the first of them. */
export type Group = Readonly<{ first: number; others: readonly GroupMember[] }>;

/** `distance` in bits to the first of the group; null where a verdict joined it. */
export type GroupMember = Readonly<{ id: number; distance: number | null }>;

export type GroupOptions = Readonly<{
  /** Largest PDQ distance to the first of the group. */
  distance: number;
  /** Pictures with less to see take part only by verdict. */
  minQuality: number;
  verdicts?: Verdicts;
}>;

/** A record remembers so many near records that stand before it; only crowds of copies have more. */
const remembered = 24;

/**
 * Groups of duplicates. In the order given (the oldest record first, say) a record joins the first
 * group whose opener it is near, or else opens one. So every member is near the first of its group:
 * chains, where each link is near the next and the ends are two different pictures, cannot arise.
 */
export function findGroups(members: readonly Member[], options: GroupOptions): Group[] {
  const { distance, minQuality, verdicts = new Verdicts() } = options;
  const places = new Map(members.map(({ id }, place) => [id, place]));
  const earlier = earlierNeighbours(members, distance, minQuality);
  const groups = new Map<number, GroupMember[]>();
  const taken = new Set<number>();
  const isApart = (a: Member, b: Member) => ['variant', 'different'].includes(verdicts.get(a.id, b.id) ?? '');
  const near = (a: Member, b: Member) => pdqDistance(a.pdq, b.pdq);
  for (const [place, member] of members.entries()) {
    if (taken.has(place)) continue;
    taken.add(place);
    const opener = earlier(place, (other) => groups.has(other) && !isApart(members[other] as Member, member));
    const group = opener === null ? null : (groups.get(opener) as GroupMember[]);
    const first = members[opener ?? place] as Member;
    if (group === null) groups.set(place, []);
    else group.push({ id: member.id, distance: near(first, member) });
    for (const other of saidSame(member.id, verdicts, places)) {
      const joining = members[other] as Member;
      if (taken.has(other) || isApart(first, joining)) continue;
      taken.add(other);
      (group ?? (groups.get(place) as GroupMember[])).push({ id: joining.id, distance: null });
    }
  }
  return [...groups]
    .filter(([, others]) => others.length > 0)
    .map(([place, others]) => ({ first: (members[place] as Member).id, others }));
}

/** Finds the first record before a place that is near it and fits. */
type Earlier = (place: number, fits: (other: number) => boolean) => number | null;

function earlierNeighbours(members: readonly Member[], distance: number, minQuality: number): Earlier {
  const seen = members.flatMap(({ quality }, place) => (quality >= minQuality ? [place] : []));
  const hashes = new Uint8Array(seen.length * 32);
  for (const [k, place] of seen.entries()) hashes.set((members[place] as Member).pdq, k * 32);
  const lists = new Map<number, number[]>();
  forNearPairs(hashes, distance, (a, b) => {
    const place = seen[b] as number;
    const list = lists.get(place);
    if (list === undefined) lists.set(place, [seen[a] as number]);
    else remember(list, seen[a] as number);
  });
  return (place, fits) => {
    const list = lists.get(place) ?? [];
    const known = list.find(fits);
    if (known !== undefined || list.length < remembered) return known ?? null;
    // More are near than were remembered: look at all that stand before it.
    const { pdq } = members[place] as Member;
    const isNear = (other: number) => pdqDistance((members[other] as Member).pdq, pdq) <= distance;
    return seen.find((other) => other < place && fits(other) && isNear(other)) ?? null;
  };
}

/** Keeps a short list of the smallest numbers, in order. */
function remember(list: number[], value: number): void {
  if (list.length === remembered && value >= (list.at(-1) as number)) return;
  const at = list.findIndex((each) => each >= value);
  if (list[at] === value) return;
  if (at < 0) list.push(value);
  else list.splice(at, 0, value);
  if (list.length > remembered) list.pop();
}

/** Places of all records said to be the same as this one, or as one that is. */
function saidSame(id: number, verdicts: Verdicts, places: ReadonlyMap<number, number>): number[] {
  const reached = new Set([id]);
  // A set that grows is gone through to its end.
  for (const each of reached) {
    for (const [other, verdict] of verdicts.of(each)) if (verdict === 'same') reached.add(other);
  }
  reached.delete(id);
  return [...reached].flatMap((other) => places.get(other) ?? []);
}
