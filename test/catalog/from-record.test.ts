import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WriteElement } from '../../src/catalog/check-element.ts';
import { writableFieldsOf } from '../../src/catalog/fields.ts';
import { fromRecord } from '../../src/catalog/from-record.ts';
import { ElementError } from '../../src/lib/errors.ts';
import { noCorpus, readCatalog } from '../support/corpus.ts';

/** The element, or null where the record has a fault; anything else that goes wrong fails the test. */
function readOrRefuse(record: Record<string, unknown>): WriteElement | null {
  try {
    return fromRecord(record);
  } catch (error) {
    if (error instanceof ElementError) return null;
    throw error;
  }
}

describe('fromRecord', () => {
  it('puts the names of the contract as properties, with the values as they are', () => {
    const record = {
      id: 'a',
      src_path: 'a.jpg',
      url_img_watermark: 'https://example.org/w.jpg',
      alt_text: '',
      ai_generated: false,
      date: '2023-07',
      keywords: ['sea', 'sea'],
      categories: [],
      title: null,
    };
    expect(fromRecord(record)).toEqual({
      id: 'a',
      values: {
        srcPath: 'a.jpg',
        urlImgWatermark: 'https://example.org/w.jpg',
        altText: '',
        aiGenerated: false,
        date: '2023-07',
        keywords: ['sea', 'sea'],
        categories: [],
        title: null,
      },
    });
  });

  it('names what the contract does not know or does not let callers write, in the order sent', () => {
    const record = { id: 'a', width: 10, titel: 'x', image_id: 'b', n_faces: 1, created_at: '2023', srcPath: 'a.jpg' };
    expect(fromRecord(record)).toEqual({
      id: 'a',
      values: {},
      unknownFields: ['width', 'titel', 'image_id', 'n_faces', 'created_at', 'srcPath'],
    });
  });

  it('takes names of the object prototype for unknown fields, nothing more', () => {
    const record = JSON.parse('{"id": "a", "__proto__": {"src": "x"}, "constructor": "y", "toString": 1}') as object;
    const element = fromRecord(record as Record<string, unknown>);
    expect(element.unknownFields).toEqual(['__proto__', 'constructor', 'toString']);
    expect(element.values['src']).toBeUndefined();
  });

  it.each([
    ['is missing', {}],
    ['is empty', { id: '' }],
    ['is null', { id: null }],
    ['is a number', { id: 7 }],
    ['is a list', { id: ['a'] }],
  ])('refuses a record whose id %s', (_what, record) => {
    expect(() => fromRecord(record)).toThrow(
      expect.objectContaining({ code: 'invalid_field', field: 'id', message: 'id must be a non-empty string' }),
    );
  });

  it.each([
    ['title', 7, 'a text'],
    ['title', true, 'a text'],
    ['title', ['x'], 'a text'],
    ['city', { name: 'Vigo' }, 'a text'],
    ['date', 2023, 'a text'],
    ['nsfw', 'true', 'true or false'],
    ['nsfw', 1, 'true or false'],
    ['keywords', 'sea', 'a list of texts'],
    ['keywords', ['sea', 7], 'a list of texts'],
    ['keywords', ['sea', null], 'a list of texts'],
    ['collections', {}, 'a list of texts'],
  ])('refuses %s = %j: it must be %s', (name, value, noun) => {
    expect(() => fromRecord({ id: 'a', [name]: value })).toThrow(
      expect.objectContaining({ code: 'invalid_field', field: name, message: `${name} must be ${noun}` }),
    );
  });

  it('takes null for every field', () => {
    const record = Object.fromEntries(writableFieldsOf.image.map(({ name }) => [name, null]));
    const values = Object.fromEntries(writableFieldsOf.image.map(({ property }) => [property, null]));
    expect(fromRecord({ id: 'a', ...record })).toEqual({ id: 'a', values });
  });

  it('answers any record with an element or with one fault, and loses no name', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string({ minLength: 1 }), (others, id) => {
        const record = { ...others, id };
        const element = readOrRefuse(record);
        const kept = element && Object.keys(element.values).length + (element.unknownFields?.length ?? 0);
        expect([null, Object.keys(record).length - 1]).toContain(kept);
      }),
    );
  });
});

describe.skipIf(noCorpus)('the records of the corpus', () => {
  it('are read without an unknown field', () => {
    const records = readCatalog();
    expect(records.length).toBe(60);
    for (const record of records) {
      const { id, values, unknownFields } = fromRecord(record);
      expect([id, unknownFields]).toEqual([record['id'], undefined]);
      expect(values['altText']).toBe(record['alt_text']);
    }
  });
});
