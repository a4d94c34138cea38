import { describe, expect, it } from 'vitest';
import { findOwners } from '../../chaos/history.ts';
import type { Sent } from '../../chaos/history.ts';
import { applyWrite, compareCatalogs } from '../../chaos/model.ts';
import type { Model, OperationRecord, RecordsWrite, UndoWrite } from '../../chaos/model.ts';

const element = (id: string) => ({ id, title: `title of ${id}`, width: 8, flaw: null });
const create: RecordsWrite = {
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

const empty = (): Model => ({ catalog: new Map(), effects: new Map(), readsAnew: false });
const undo: UndoWrite = { action: 'undo', target: 1, rule: 'skip', strict: false, urgent: false };

describe('the model of chaos', () => {
  it('finds nothing wrong with a write that did what it says', () => {
    const model = empty();
    expect(applyWrite(model, create, record({}))).toEqual([]);
    expect([...model.catalog.keys()]).toEqual(['a', 'b']);
  });

  it.each([
    ['an element that was applied twice', { num_good: 1, num_bad: 1, all_good: false }],
    ['an element that is not counted', { num_good: 1 }],
    ['an element that is counted twice', { num_good: 3 }],
    ['an operation that never ended', { is_finished: false }],
    ['an error that nobody made', { errors: [{ id: 0, ref: 'a', code: 'internal' }] }],
  ])('notices %s', (_what, values) => {
    expect(applyWrite(empty(), create, record(values))).not.toEqual([]);
  });

  it('notices a strict write that was stored in part', () => {
    const strict: RecordsWrite = { ...create, strict: true, elements: [element('a'), element('a')] };
    const half = record({
      num_good: 1,
      num_bad: 1,
      all_good: false,
      errors: [{ id: 1, ref: 'a', code: 'duplicate_in_batch' }],
    });
    expect(applyWrite(empty(), strict, half)).not.toEqual([]);
  });

  it('leaves a record as the first element of a batch made it', () => {
    const model = empty();
    const twice: RecordsWrite = { ...create, elements: [element('a'), element('a')] };
    const errors = [{ id: 1, ref: 'a', code: 'duplicate_in_batch' }];
    expect(applyWrite(model, twice, record({ num_good: 1, num_bad: 1, all_good: false, errors }))).toEqual([]);
    expect([...model.catalog.keys()]).toEqual(['a']);
  });

  it('undoes an operation, but for what others have changed since, and undoes that', () => {
    const model = empty();
    applyWrite(model, create, record({}));
    const patch: RecordsWrite = { ...create, action: 'update', elements: [{ ...element('a'), title: 'later' }] };
    applyWrite(model, patch, record({ operation_id: 2, num_total: 1, num_good: 1 }));
    const partly = { num_good: 1, num_bad: 1, all_good: false, errors: [{ id: 0, ref: 'a', code: 'conflict' }] };
    expect(applyWrite(model, undo, record({ operation_id: 3, undoes: 1, ...partly }), ['a', 'b'])).toEqual([]);
    expect([...model.catalog.keys()]).toEqual(['a']);
    const again = { operation_id: 4, undoes: 3, num_total: 1, num_good: 1 };
    expect(applyWrite(model, { ...undo, target: 3 }, record(again), ['b'])).toEqual([]);
    expect(model.catalog.get('b')).toMatchObject({ title: 'title of b' });
  });

  it('notices an undo of other records than the operation has changed', () => {
    const model = empty();
    applyWrite(model, create, record({}));
    const half = record({ operation_id: 2, undoes: 1, num_total: 1, num_good: 1 });
    expect(applyWrite(model, undo, half, ['a'])).not.toEqual([]);
  });

  it('notices a record that is missing, one too many, and one that differs', () => {
    const model = new Map([['a', { title: 'x', width: 8 }]]);
    expect(compareCatalogs(new Map(), model)).toHaveLength(1);
    expect(compareCatalogs(new Map([...model, ['b', { title: 'y', width: 8 }]]), model)).toHaveLength(1);
    expect(compareCatalogs(new Map([['a', { title: 'x', width: 9 }]]), model)).toHaveLength(1);
  });

  it('assigns an operation that no answer named to the write that was lost, and notices one that belongs to none', () => {
    const sent: Sent[] = [
      { write: create, operation: 1 },
      { write: { ...create, urgent: true }, operation: null },
      { write: create, operation: 3 },
    ];
    const found = [record({}), record({ operation_id: 2, do_urgent: true }), record({ operation_id: 3 })];
    expect(findOwners(sent, found)).toEqual([]);
    expect(sent[1]?.operation).toBe(2);
    expect(findOwners(sent, [...found, record({ operation_id: 4 })])).toHaveLength(1);
    const undoing = [...found, record({ operation_id: 4, method: 'upd', undoes: 1 })];
    expect(findOwners([...sent, { write: undo, operation: null }], undoing)).toEqual([]);
  });
});
