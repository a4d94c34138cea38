import { describe, expect, it } from 'vitest';
import { findOwners } from '../../chaos/history.ts';
import type { Sent } from '../../chaos/history.ts';
import { applyWrite, compareCatalogs } from '../../chaos/model.ts';
import type { OperationRecord, Picture, Write } from '../../chaos/model.ts';

const element = (id: string) => ({ id, title: `title of ${id}`, width: 8, flaw: null });
const create: Write = {
  action: 'create',
  elements: [element('a'), element('b')],
  strict: false,
  urgent: false,
};

function record(values: Partial<OperationRecord>): OperationRecord {
  const times = { started_at: '2026-01-01T00:00:00.000Z', finished_at: '2026-01-01T00:00:00.010Z' };
  const flags = { is_finished: true, is_aborted: false, do_strict: false, do_urgent: false };
  const counts = { num_total: 2, num_good: 2, num_bad: 0, all_good: true };
  return { operation_id: 1, method: 'add', ...counts, ...flags, ...times, errors: [], ...values };
}

describe('the model of chaos', () => {
  it('finds nothing wrong with a write that did what it says', () => {
    const catalog = new Map<string, Picture>();
    expect(applyWrite(catalog, create, record({}))).toEqual([]);
    expect([...catalog.keys()]).toEqual(['a', 'b']);
  });

  it.each([
    ['an element that was applied twice', { num_good: 1, num_bad: 1, all_good: false }],
    ['an element that is not counted', { num_good: 1 }],
    ['an element that is counted twice', { num_good: 3 }],
    ['an operation that never ended', { is_finished: false }],
    ['an error that nobody made', { errors: [{ id: 0, ref: 'a', code: 'internal' }] }],
  ])('notices %s', (_what, values) => {
    expect(applyWrite(new Map(), create, record(values))).not.toEqual([]);
  });

  it('notices a strict write that was stored in part', () => {
    const strict: Write = { ...create, strict: true, elements: [element('a'), element('a')] };
    const half = record({
      num_good: 1,
      num_bad: 1,
      all_good: false,
      errors: [{ id: 1, ref: 'a', code: 'duplicate_in_batch' }],
    });
    expect(applyWrite(new Map(), strict, half)).not.toEqual([]);
  });

  it('notices a record that is missing, one too many, and one that differs', () => {
    const model = new Map([['a', { title: 'x', width: 8 }]]);
    expect(compareCatalogs(new Map(), model)).toHaveLength(1);
    expect(compareCatalogs(new Map([...model, ['b', { title: 'y', width: 8 }]]), model)).toHaveLength(1);
    expect(compareCatalogs(new Map([['a', { title: 'x', width: 9 }]]), model)).toHaveLength(1);
  });

  it('gives an operation that no answer told of to the write that was lost, and notices one of nobody', () => {
    const sent: Sent[] = [
      { write: create, operation: 1 },
      { write: { ...create, urgent: true }, operation: null },
      { write: create, operation: 3 },
    ];
    const found = [record({}), record({ operation_id: 2, do_urgent: true }), record({ operation_id: 3 })];
    expect(findOwners(sent, found)).toEqual([]);
    expect(sent[1]?.operation).toBe(2);
    expect(findOwners(sent, [...found, record({ operation_id: 4 })])).toHaveLength(1);
  });
});
