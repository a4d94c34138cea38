import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkElement } from '../../src/catalog/check-element.ts';
import type { CheckedElement, FieldValue, WriteAction, WriteElement } from '../../src/catalog/check-element.ts';
import { fieldsOf, resources, writableFieldsOf } from '../../src/catalog/fields.ts';
import { ElementError } from '../../src/lib/errors.ts';
import { character } from '../support/character.ts';

type Values = WriteElement['values'];

const actions: readonly WriteAction[] = ['create', 'replace', 'upsert', 'update', 'delete'];
const needsSource: readonly WriteAction[] = ['create', 'replace', 'upsert'];
const writes: readonly WriteAction[] = [...needsSource, 'update'];

/** The fault that an element has, as a client gets to see it. */
function faultOf(work: () => unknown): { code: string; field: string | null; message: string } {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ElementError)) throw error;
    return { code: error.code, field: error.field, message: error.message };
  }
  throw new Error('there was no fault');
}

/** The element, or null where it has a fault; anything else that goes wrong fails the test. */
function checkOrRefuse(work: () => CheckedElement): CheckedElement | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof ElementError) return null;
    throw error;
  }
}

const url = 'https://example.org/a.jpg';

describe.each(resources)('of %ss,', (resource) => {
  function check(action: WriteAction, values: Values, id = 'a'): CheckedElement {
    return checkElement(resource, action, { id, values }, false);
  }

  describe('the id of an element', () => {
    it.each([
      ['one character', 'a'],
      ['255 characters', 'a'.repeat(255)],
      ['255 characters beyond the basic plane', '😀'.repeat(255)],
      ['spaces, slashes and quotes', ` /a"b'c\\%`],
      ['letters of any script', 'ключ-鍵-clé'],
      ['a no-break space', '\u{a0}'],
    ])('may have %s', (_what, id) => {
      expect(checkElement(resource, 'delete', { id, values: {} }, false).id).toBe(id);
    });

    it.each([
      ['no character', ''],
      ['256 characters', 'a'.repeat(256)],
      ['256 characters beyond the basic plane', '😀'.repeat(256)],
    ])('must not have %s', (_what, id) => {
      const message = 'id must have 1 to 255 characters';
      expect(faultOf(() => check('create', { src: url }, id))).toEqual({ code: 'invalid_field', field: 'id', message });
    });

    it.each([
      ['NUL', 'a\0'],
      ['a line break', 'a\nb'],
      ['a tab', 'a\tb'],
      ['DEL', 'a\u{7f}'],
      ['a C1 control', 'a\u{85}'],
      ['half a surrogate pair', 'a\u{d800}'],
    ])('must not have %s', (_what, id) => {
      const message = 'id must not contain control characters';
      expect(faultOf(() => check('create', { src: url }, id))).toEqual({ code: 'invalid_field', field: 'id', message });
    });

    it.each(actions)('is checked by %s', (action) => {
      expect(faultOf(() => check(action, { src: url }, '')).field).toBe('id');
    });
  });

  describe('the source of an element', () => {
    it.each(needsSource)('is needed by %s', (action) => {
      const fault = { code: 'source_missing', field: 'src', message: 'give exactly one of src and src_path' };
      expect(faultOf(() => check(action, { title: 'x' }))).toEqual(fault);
      expect(faultOf(() => check(action, { src: null, srcPath: null }))).toEqual(fault);
      expect(faultOf(() => check(action, { src: '', srcPath: '' }))).toEqual(fault);
    });

    it.each(writes)('must not be given twice to %s', (action) => {
      expect(faultOf(() => check(action, { src: url, srcPath: 'a.jpg' }))).toEqual({
        code: 'source_conflict',
        field: 'src',
        message: 'give only one of src and src_path',
      });
    });

    it.each(writes)('may be an address for %s, which clears the path', (action) => {
      const checked = { id: 'a', values: { src: url, srcPath: null }, source: { kind: 'url', value: url } };
      expect(check(action, { src: url })).toEqual(checked);
      expect(check(action, { src: url, srcPath: null })).toEqual(checked);
      expect(check(action, { src: url, srcPath: '' })).toEqual(checked);
    });

    it.each(writes)('may be a path for %s, which clears the address', (action) => {
      const checked = { id: 'a', values: { src: null, srcPath: 'a.jpg' }, source: { kind: 'path', value: 'a.jpg' } };
      expect(check(action, { srcPath: 'a.jpg' })).toEqual(checked);
      expect(check(action, { srcPath: 'a.jpg', src: null })).toEqual(checked);
      expect(check(action, { srcPath: 'a.jpg', src: '' })).toEqual(checked);
    });

    it('stays as it is when a patch does not name it', () => {
      expect(check('update', { title: 'x' })).toEqual({ id: 'a', values: { title: 'x' }, source: null });
    });

    it('stays as it is when a patch leaves it blank, as forms do', () => {
      expect(check('update', { src: '', srcPath: '', title: 'x' })).toEqual({
        id: 'a',
        values: { title: 'x' },
        source: null,
      });
    });

    it('is cleared by a patch that says null', () => {
      expect(check('update', { src: null })).toEqual({ id: 'a', values: { src: null }, source: null });
    });

    it.each(['example.org/a.jpg', '/a.jpg', 'a.jpg', 'http://', 'https://exa mple.org/', 'http://[::1', '://x'])(
      'must not be the address %s, which is not absolute',
      (src) => {
        const message = 'src is not an absolute URL';
        expect(faultOf(() => check('create', { src }))).toEqual({ code: 'invalid_field', field: 'src', message });
      },
    );

    it.each([
      'file:///etc/passwd',
      'ftp://example.org/a',
      'data:image/png;base64,AA',
      'javascript:alert(1)',
      'gopher://x',
    ])('must not be %s: only http and https are fetched', (src) => {
      const message = 'src must be an http or https URL';
      expect(faultOf(() => check('create', { src }))).toEqual({ code: 'source_forbidden', field: 'src', message });
    });

    it.each(['HTTP://EXAMPLE.ORG/A.JPG', 'https://example.org:8443/a?b=c#d', 'http://пример.рф/ф.jpg'])(
      'may be %s, which is kept as given',
      (src) => {
        expect(check('create', { src })).toEqual({
          id: 'a',
          values: { src, srcPath: null },
          source: { kind: 'url', value: src },
        });
      },
    );
  });

  describe('the values of an element', () => {
    const valueOf = (property: string, value: FieldValue) => check('update', { [property]: value }).values;
    const faultIn = (property: string, value: FieldValue) => faultOf(() => check('update', { [property]: value }));
    const texts = writableFieldsOf[resource].filter(({ type }) => type === 'text' || type === 'keyword');
    const lists = writableFieldsOf[resource].filter(({ name, type }) => type === 'list' && name !== 'locked_fields');
    const booleans = writableFieldsOf[resource].filter(({ type }) => type === 'boolean');
    const isSource = (property: string) => property === 'src' || property === 'srcPath';

    it.each(texts)('$name holds up to $maxLength characters and no more', ({ name, property, maxLength }) => {
      const start = property === 'src' ? 'http://h/' : '';
      const longest = start + 'a'.repeat(maxLength - start.length);
      expect(valueOf(property, longest)[property]).toBe(longest);
      expect(faultIn(property, `${longest}a`)).toEqual({
        code: 'invalid_field',
        field: name,
        message: `${name} must have at most ${maxLength} characters`,
      });
    });

    it('count characters, not halves of surrogate pairs', () => {
      expect(valueOf('status', '😀'.repeat(64))).toEqual({ status: '😀'.repeat(64) });
      expect(faultIn('status', '😀'.repeat(65)).message).toBe('status must have at most 64 characters');
    });

    it.each(texts)('$name refuses NUL and half a surrogate pair', ({ name, property }) => {
      const fault = { code: 'invalid_field', field: name, message: `${name} must be Unicode text without NUL` };
      for (const value of ['a\0b', 'a\u{dc00}', '\u{d83d}b']) expect(faultIn(property, value)).toEqual(fault);
    });

    it.each(texts.filter(({ property }) => !isSource(property)))('$name keeps a text as it is', ({ property }) => {
      for (const value of ['', ' ', 'línea\nnueva\t', '<b>"x"</b>', '😀']) {
        expect(valueOf(property, value)).toEqual({ [property]: value });
      }
    });

    it.each(booleans)('$name holds true and false', ({ property }) => {
      expect([valueOf(property, true), valueOf(property, false)]).toEqual([
        { [property]: true },
        { [property]: false },
      ]);
    });

    it.each(lists)('$name keeps its order and drops exact repeats', ({ property }) => {
      expect(valueOf(property, ['b', 'a', 'b', 'B', 'a ', '', 'á', 'a\u{301}', 'a'])).toEqual({
        [property]: ['b', 'a', 'B', 'a ', '', 'á', 'a\u{301}'],
      });
      expect(valueOf(property, [])).toEqual({ [property]: [] });
    });

    it.each(lists)('$name holds up to 1 000 different elements of 200 characters', ({ name, property }) => {
      const elements = Array.from({ length: 1001 }, (_, index) => `${index}`.padEnd(200, 'x'));
      const most = elements.slice(0, 1000);
      expect(valueOf(property, [...most, ...most])).toEqual({ [property]: most });
      const fault = { code: 'invalid_field', field: name };
      expect(faultIn(property, elements)).toEqual({ ...fault, message: `${name} must have at most 1000 elements` });
      expect(faultIn(property, ['a', 'x'.repeat(201)])).toEqual({
        ...fault,
        message: `${name} must have at most 200 characters`,
      });
      expect(faultIn(property, ['a\0']).message).toBe(`${name} must be Unicode text without NUL`);
    });

    it.each([
      ['2023-07-14', '2023-07-14', '2023-07-14'],
      ['2024-02', '2024-02-01', '2024-02-29'],
      ['2023', '2023-01-01', '2023-12-31'],
    ])('keep the date %s as given, with the days from %s to %s beside it', (date, dateStart, dateEnd) => {
      expect(valueOf('date', date)).toEqual({ date, dateStart, dateEnd });
    });

    it('clear both days of the period with the date, also when it is blank', () => {
      const cleared = { date: null, dateStart: null, dateEnd: null };
      expect([valueOf('date', null), valueOf('date', '')]).toEqual([cleared, cleared]);
    });

    it('quote at most 40 characters of a date that does not exist', () => {
      const wanted = 'is not YYYY-MM-DD, YYYY-MM or YYYY';
      const fault = { code: 'invalid_field', field: 'date' };
      expect(faultIn('date', '2023-02-30')).toEqual({ ...fault, message: `date '2023-02-30' ${wanted}` });
      expect(faultIn('date', 'x'.repeat(9000))).toEqual({ ...fault, message: `date '${'x'.repeat(40)}' ${wanted}` });
    });

    it.each(writableFieldsOf[resource].filter(({ type }) => type !== 'date'))(
      '$name is cleared by null',
      ({ property }) => {
        expect(valueOf(property, null)).toEqual({ [property]: null });
      },
    );

    it('leave out what was not sent', () => {
      expect(check('update', { title: undefined, city: 'Vigo' }).values).toEqual({ city: 'Vigo' });
      expect(check('update', {}).values).toEqual({});
    });

    it.each(fieldsOf[resource].filter(({ access }) => access !== 'write'))(
      'never hold $name: it is not written',
      (field) => {
        expect(check('update', { [field.property]: 'x' }).values).toEqual({});
      },
    );

    it('report the first fault in the order of the contract', () => {
      const values = { status: 'x'.repeat(65), title: '\0', date: 'never' };
      expect(faultOf(() => check('create', values)).field).toBe('title');
    });
  });

  describe('unknown fields of an element', () => {
    const element = { id: 'a', values: { src: url }, unknownFields: ['titel', 'x'] };

    it.each(actions)('are a fault of a strict %s, which names the first', (action) => {
      expect(faultOf(() => checkElement(resource, action, element, true))).toEqual({
        code: 'invalid_field',
        field: 'titel',
        message: `unknown field 'titel'`,
      });
    });

    it.each(actions)('are ignored by a %s that is not strict', (action) => {
      const known = { id: element.id, values: element.values };
      expect(checkElement(resource, action, element, false)).toEqual(checkElement(resource, action, known, true));
    });

    it('do not trouble a strict write that has none', () => {
      expect(checkElement(resource, 'create', { ...element, unknownFields: [] }, true).values).toEqual({
        src: url,
        srcPath: null,
      });
    });
  });

  it('needs of an element to delete nothing but its id', () => {
    const values = { src: 'nonsense', srcPath: 'both', date: 'never', status: 'x'.repeat(65) };
    expect(checkElement(resource, 'delete', { id: 'a', values }, true)).toEqual({ id: 'a', values: {}, source: null });
  });

  it('answers any element of the right shape with an element or with one fault', () => {
    const text = fc.oneof(
      fc.string({ unit: character }),
      fc.webUrl(),
      fc.constantFrom('', 'a.jpg', '2023-07', '\u{d800}'),
    );
    const others: Readonly<Record<string, fc.Arbitrary<FieldValue>>> = { list: fc.array(text), boolean: fc.boolean() };
    const values = fc.record(
      Object.fromEntries(
        writableFieldsOf[resource].map(({ property, type }) => [property, fc.option(others[type] ?? text)]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.constantFrom(...actions), text, values, fc.boolean(), (action, id, given, strict) => {
        const checked = checkOrRefuse(() => checkElement(resource, action, { id, values: given }, strict));
        const stored = Object.values(checked?.values ?? {});
        expect(stored).not.toContain(undefined);
        expect(JSON.stringify(stored)).not.toContain('\\u0000');
        expect(checked !== null && checked.source === null && needsSource.includes(action)).toBe(false);
      }),
    );
  });
});
