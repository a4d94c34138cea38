import { describe, expect, it } from 'vitest';
import type { Job } from '../../attack/messages.ts';
import { rowNames, shapes } from '../../attack/shapes/index.ts';
import { createSchedule } from '../../attack/schedule.ts';

const lanes = { quick: 1, slow: 1, heavy: 1 } as const;
const job: Omit<Job, 'target'> = {
  seed: 1,
  names: null,
  inOrder: false,
  isTwisted: true,
  from: 0,
  count: 2_000,
  lanes,
  ms: 1,
};

function played(changes: Partial<Job>): string[] {
  const next = createSchedule({ ...job, ...changes }, shapes);
  return (['quick', 'slow', 'heavy'] as const).flatMap((lane) => {
    const found: string[] = [];
    for (let scheduled = next(lane); scheduled !== null; scheduled = next(lane)) {
      found.push(`${scheduled.number} ${scheduled.shape.name} ${scheduled.random.next()}`);
    }
    return found;
  });
}

describe('the exchanges of an attack', () => {
  it('come from more than 200 shapes with names of their own', () => {
    expect(new Set(shapes.map(({ name }) => name)).size).toBe(shapes.length);
    expect(shapes.length).toBeGreaterThan(200);
  });

  it('are the same for the same seed and others for another', () => {
    expect(played({})).toEqual(played({}));
    expect(played({})).not.toEqual(played({ seed: 2 }));
  });

  it('can be played again by the number of one', () => {
    const line = played({}).find((text) => text.startsWith('1234 '));
    expect(line).toBeDefined();
    expect(played({ from: 1234, count: 1 })).toEqual([line]);
  });

  it('go through shapes in turn when they are to be played once each', () => {
    const names = played({ names: rowNames, inOrder: true, count: rowNames.length }).map((line) => line.split(' ')[0]);
    expect(new Set(names).size).toBe(rowNames.length);
  });

  it('are refused when no shape has the name', () => {
    expect(() => played({ names: ['no such shape'] })).toThrow('no shape has such a name');
  });
});
