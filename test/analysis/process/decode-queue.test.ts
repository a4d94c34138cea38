import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeQueue } from '../../../src/analysis/process/decode-queue.ts';
import type { DecodeSlot } from '../../../src/analysis/process/decode-queue.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Pictures that are decoded until they are ended; records the order in which they began. */
function bench(slots: number, memoryBytes = Infinity) {
  const queue = new DecodeQueue({ slots, memoryBytes });
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    began,
    ask: (name: string, rotation: Partial<DecodeSlot> & { seconds?: number; memory?: number } = {}) => {
      const { owner = 1, urgency = 'background', seconds = 1, memory = 0, signal } = rotation;
      const cost = { seconds, memoryBytes: memory };
      return queue.run({ owner, urgency, cost, ...(signal && { signal }) }, async () => {
        began.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
      });
    },
    async end(name = began.at(-1) ?? '') {
      ends.get(name)?.();
      await settled();
    },
  };
}

describe('large pictures', () => {
  it('of an owner who has few never stand behind the backlog of another', async () => {
    const { ask, end, began } = bench(1);
    for (let i = 0; i < 10; i += 1) void ask(`a${i}`, { owner: 1 });
    await settled();
    void ask('b0', { owner: 2 });
    await end();
    expect(began).toEqual(['a0', 'b0']);
  });

  it('count by what they take: of one owner four come while another has one that is four times as costly', async () => {
    const { ask, end, began } = bench(1);
    for (let i = 0; i < 4; i += 1) void ask('costly', { owner: 1, seconds: 4 });
    for (let i = 0; i < 12; i += 1) void ask('cheap', { owner: 2, seconds: 1 });
    await settled();
    while (began.length < 15) await end();
    expect(began.filter((name) => name === 'costly')).toHaveLength(3);
  });

  it('that somebody waits for have slots of their own', async () => {
    const { ask, began } = bench(1);
    for (let i = 0; i < 3; i += 1) void ask('background');
    void ask('urgent', { urgency: 'interactive' });
    await settled();
    expect(began).toEqual(['background', 'urgent']);
  });

  it('that somebody waits for get memory before others', async () => {
    const { ask, end, began } = bench(1, 10);
    void ask('first', { memory: 8 });
    void ask('second', { memory: 1, owner: 2 });
    void ask('urgent', { memory: 8, urgency: 'interactive' });
    await settled();
    expect(began).toEqual(['first']);
    await end();
    expect(began).toEqual(['first', 'urgent', 'second']);
  });

  it('whose asker has gone are not decoded, and hold up nobody', async () => {
    const { ask, end, began } = bench(1);
    const leaving = new AbortController();
    void ask('first');
    const gone = ask('gone', { signal: leaving.signal });
    void ask('last');
    leaving.abort(new Error('enough'));
    await expect(gone).rejects.toThrow('enough');
    await end();
    expect(began).toEqual(['first', 'last']);
  });

  it('get equal time whatever they cost, never more memory than there is, and all of them their turn', async () => {
    const picture = fc.record({
      owner: fc.integer({ min: 1, max: 4 }),
      seconds: fc.integer({ min: 1, max: 30 }),
      memory: fc.integer({ min: 0, max: 12 }),
      urgency: fc.constantFrom('interactive' as const, 'background' as const),
    });
    const schedules = fc.asyncProperty(fc.array(picture, { maxLength: 40 }), fc.integer({ min: 1, max: 3 }), play);
    await fc.assert(schedules, { numRuns: 200 });
  });
});

type Played = Readonly<{ owner: number; seconds: number; memory: number; urgency: DecodeSlot['urgency'] }>;

/** Asks for all at once, and ends whatever runs, one after the other; all rules are checked as it goes. */
async function play(pictures: readonly Played[], slots: number): Promise<void> {
  const memoryBytes = 10;
  const queue = new DecodeQueue({ slots, memoryBytes });
  const running = new Map<number, () => void>();
  const waiting = new Set(pictures.keys());
  const served = new Map<string, number>();
  const line = ({ urgency, owner }: Played) => `${urgency} ${owner}`;
  const all = pictures.map((picture, index) => {
    const cost = { seconds: picture.seconds, memoryBytes: picture.memory };
    return queue.run({ ...picture, cost }, () => {
      waiting.delete(index);
      served.set(line(picture), (served.get(line(picture)) ?? 0) + picture.seconds);
      return new Promise<void>((resolve) => running.set(index, resolve));
    });
  });
  while (waiting.size + running.size > 0) {
    await settled();
    check(pictures, { running: [...running.keys()], waiting: [...waiting], served, slots, memoryBytes });
    const [index, end] = running.entries().next().value ?? [];
    if (index === undefined) throw new Error('pictures wait and none is decoded');
    running.delete(index);
    end?.();
  }
  await Promise.all(all);
}

type State = Readonly<{
  running: readonly number[];
  waiting: readonly number[];
  served: ReadonlyMap<string, number>;
  slots: number;
  memoryBytes: number;
}>;

function check(pictures: readonly Played[], { running, waiting, served, slots, memoryBytes }: State): void {
  const of = (index: number) => pictures[index] as Played;
  const used = running.map(of).reduce((sum, { memory }) => sum + memory, 0);
  if (running.length > 1) expect(used).toBeLessThanOrEqual(memoryBytes);
  for (const urgency of ['interactive', 'background'] as const) {
    expect(running.filter((index) => of(index).urgency === urgency).length).toBeLessThanOrEqual(slots);
    // Of two owners that both wait none is ahead by more than what fills the slots and one more picture.
    const owners = [...new Set(waiting.map(of).filter((each) => each.urgency === urgency))].map(({ owner }) => owner);
    const times = owners.map((owner) => served.get(`${urgency} ${owner}`) ?? 0);
    if (times.length > 1) expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(30 * (slots + 1));
  }
}
