import { describe, expect, it } from 'vitest';
import { BackgroundPriority } from '../../../src/analysis/process/background-priority.ts';

/** A priority on a clock that the test moves; `share` is what the process gets of a processor meanwhile. */
function onClock({ isAllowed = (): boolean => true } = {}) {
  let [now, used] = [0, 0];
  const set: number[] = [];
  const priority = new BackgroundPriority({
    usual: 4,
    set: (niceness) => isAllowed() && set.push(niceness) > 0,
    processorMs: () => used,
    now: () => now,
  });
  const pass = (seconds: number, share: number) => {
    for (let tick = 0; tick < seconds * 2; tick += 1) {
      now += 500;
      used += 500 * share;
      priority.tick();
    }
  };
  return { priority, set, pass };
}

describe('The priority of the analysis of stored pictures', () => {
  it('is the lowest while requests are answered, and then the usual one again', () => {
    const { priority, set, pass } = onClock();
    priority.giveWay(true);
    pass(60, 0.6);
    expect(set).toEqual([19]);
    priority.giveWay(false);
    pass(1, 1);
    expect(set).toEqual([19, 4]);
  });

  it('is the usual one for ten seconds where the lowest gets nearly nothing of the processors', () => {
    const { priority, set, pass } = onClock();
    priority.giveWay(true);
    pass(0.5, 0.05);
    expect(set).toEqual([19, 4]);
    pass(9.5, 0.5);
    expect(set).toEqual([19, 4]);
    pass(0.5, 0.5);
    expect(set).toEqual([19, 4, 19]);
  });

  it('is tried again where the system did not allow it yet', () => {
    let isAllowed = false;
    const { priority, set, pass } = onClock({ isAllowed: () => isAllowed });
    priority.giveWay(true);
    pass(0.5, 0.6);
    expect(set).toEqual([]);
    isAllowed = true;
    pass(0.5, 0.6);
    expect(set).toEqual([19]);
  });
});
