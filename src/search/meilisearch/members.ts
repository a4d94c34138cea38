import { hash } from 'node:crypto';
import type { MeilisearchClient, MeilisearchMember } from '../../backing/index.ts';
import { groupBy } from '../../lib/group-by.ts';

/** One of several names that records are distributed among. */
type Named = Readonly<{ name: string }>;

/** Returns the names as the database stores them: sorted, no matter in which order the addresses are configured. */
export function memberNames(members: readonly Named[]): string[] {
  return members.map(({ name }) => name).toSorted();
}

export function haveSameNames(one: readonly string[] | null, other: readonly string[]): boolean {
  return one !== null && one.length === other.length && one.every((name, at) => name === other[at]);
}

/** Returns the members with these names; null if this process does not know all of them. */
export function findMembers(
  client: MeilisearchClient,
  names: readonly string[] | null,
): readonly MeilisearchMember[] | null {
  const found = knownMembers(client, names);
  return found.length === (names?.length ?? 1) ? found : null;
}

/** Returns the configured members with these names; a single server has the index of any single name. */
export function knownMembers(
  { members }: MeilisearchClient,
  names: readonly string[] | null,
): readonly MeilisearchMember[] {
  if (members.length === 1 && (names === null || names.length === 1)) return members;
  return members.filter(({ name }) => names?.includes(name) === true);
}

/** Two numbers that make the hash of each record different for each member. */
type Seed = readonly [number, number];

const seeds = new Map<string, Seed>();

function seedOf(name: string): Seed {
  let seed = seeds.get(name);
  if (seed === undefined) {
    const digest = hash('sha256', name, 'buffer');
    seeds.set(name, (seed = [digest.readUInt32LE(0), digest.readUInt32LE(4)]));
  }
  return seed;
}

/**
 * Returns the member that keeps a record, by rendezvous hashing: each member has a score for each record, and the
 * highest wins. So a new member only takes over records from the others, and those of a removed member are spread
 * over the rest.
 */
export function ownerOf<M extends Named>(members: readonly M[], rowId: number): M {
  const [first, ...others] = members;
  if (first === undefined) throw new Error('there is no member');
  let [owner, highest] = [first, others.length === 0 ? 0 : scoreOf(first, rowId)];
  for (const member of others) {
    const score = scoreOf(member, rowId);
    if (score < highest || (score === highest && member.name > owner.name)) continue;
    [owner, highest] = [member, score];
  }
  return owner;
}

function scoreOf({ name }: Named, rowId: number): number {
  const [low, high] = seedOf(name);
  return mix(mix((rowId >>> 0) ^ low) ^ high ^ Math.floor(rowId / 2 ** 32));
}

/** The finalizer of MurmurHash3: changing any bit of the argument changes about half the bits of the result. */
function mix(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Groups items by the member that keeps their record, and preserves their order. */
export function groupByOwner<M extends Named, T>(
  members: readonly M[],
  things: readonly T[],
  rowIdOf: (thing: T) => number,
): ReadonlyMap<M, readonly T[]> {
  const [only, ...others] = members;
  if (only !== undefined && others.length === 0) return new Map([[only, things]]);
  return groupBy(things, (thing) => ownerOf(members, rowIdOf(thing)));
}

/** Works on all items at the same time, and waits for all of them even if one fails. */
export async function withEach<T>(all: Iterable<T>, work: (each: T) => Promise<unknown>): Promise<void> {
  const results = await Promise.allSettled(Array.from(all, work));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
