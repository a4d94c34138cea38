import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { Prisma } from '../../prisma/generated/client/client.ts';
import { imageFields, listLimits, writableImageFields } from '../../src/catalog/fields.ts';
import type { Field, FieldType } from '../../src/catalog/fields.ts';
import { packageRoot } from '../../src/package-root.ts';
import { cloneDatabase, onDatabase } from '../support/database.ts';

const named = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');

/** Section 4.5 of the contract: what `fields` may name. */
const readable = named(`
  image_id, src, src_path, url_img_watermark, url_img_thumbnail, title, headline, caption, alt_text, ai_generated,
  model_release, property_release, nsfw, status, date, location, city, country, event, author, provider, shot, scene,
  technique, medium, keywords, categories, collections, height, width, n_faces`);
const readOnly = ['image_id', 'height', 'width', 'n_faces'];
const additive = ['created_at', 'updated_at'];

const ours = (fields: readonly Field[]) => fields.map(({ name }) => name).filter((name) => !additive.includes(name));

describe('the field table', () => {
  it('holds the fields of the contract in its order, then the additive ones', () => {
    expect(imageFields.map(({ name }) => name)).toEqual([...readable, ...additive]);
  });

  it('lets callers write what the contract does not call read only', () => {
    expect(writableImageFields.map(({ name }) => name)).toEqual(readable.filter((name) => !readOnly.includes(name)));
  });

  it('sorts by what section 4.7 of the contract lists, as far as it is a stored field', () => {
    const sorts = named(`
      image_id, src, url_img_watermark, url_img_thumbnail, height, width, n_faces, date, title, headline, caption,
      location, city, country, event, author, provider, shot, scene, medium, technique`);
    expect(ours(imageFields.filter(({ sort }) => sort)).toSorted()).toEqual(sorts.toSorted());
  });

  it.each([
    ['boolean', ['ai_generated', 'model_release', 'property_release', 'nsfw']],
    ['list', ['keywords', 'categories', 'collections']],
    ['integer', ['height', 'width', 'n_faces']],
    ['date', ['date']],
  ] as const)('holds as %s what the contract calls so', (type, names) => {
    expect(imageFields.filter((field) => field.type === type).map(({ name }) => name)).toEqual(names);
  });

  it('limits texts to 10 000 characters, ids to 255, the status to 64, lists to 1 000 elements of 200', () => {
    const limits = new Map(imageFields.map(({ name, maxLength }) => [name, maxLength]));
    expect([limits.get('image_id'), limits.get('status')]).toEqual([255, 64]);
    const others = imageFields.filter(({ name }) => !['image_id', 'status'].includes(name));
    expect(new Set(others.map(({ maxLength }) => maxLength))).toEqual(new Set([10_000]));
    expect(listLimits).toEqual({ elements: 1000, length: 200 });
  });

  it('describes each field in a sentence', () => {
    for (const { description } of imageFields) expect(description).toMatch(/^[A-Z`].+\.$/);
  });
});

/** The scalar fields of `model Image` in schema.prisma: property, type and column. */
function prismaFields(): { property: string; type: string; column: string }[] {
  const schema = readFileSync(join(packageRoot, 'prisma', 'schema.prisma'), 'utf8');
  const body = /^model Image \{\n([\s\S]*?)^\}/m.exec(schema)?.[1] ?? '';
  return [...body.matchAll(/^ {2}(\w+) +(\w+(?:\[\])?)\??(.*)$/gm)].map(([, property = '', type = '', rest = '']) => ({
    property,
    type,
    column: /@map\("(\w+)"\)/.exec(rest)?.[1] ?? property,
  }));
}

const prismaTypes: Readonly<Record<FieldType, string>> = {
  text: 'String',
  keyword: 'String',
  date: 'String',
  list: 'String[]',
  boolean: 'Boolean',
  integer: 'Int',
  time: 'DateTime',
};

const columnTypes: Readonly<Record<FieldType, string>> = {
  text: 'text',
  keyword: 'text',
  date: 'text',
  list: '_text',
  boolean: 'bool',
  integer: 'int4',
  time: 'timestamptz',
};

describe('a field of the table', () => {
  it('is a property of the generated Image model', () => {
    const properties: readonly string[] = Object.values(Prisma.ImageScalarFieldEnum);
    expect(properties).toEqual(expect.arrayContaining(imageFields.map(({ property }) => property)));
  });

  it('has the type in the Prisma schema that its row says, and is mapped to the column of its name', () => {
    const fields = new Map(prismaFields().map((field) => [field.property, field]));
    expect(imageFields.map(({ property }) => fields.get(property))).toEqual(
      imageFields.map(({ name, property, type }) => ({ property, type: prismaTypes[type], column: name })),
    );
  });

  it('has a column of its type in the tables that the migrations make', async () => {
    const { url, drop } = await cloneDatabase(inject('postgresUrl'));
    try {
      const { rows } = await onDatabase(url, (client) =>
        client.query<{ name: string; type: string }>(
          `SELECT column_name AS name, udt_name AS type FROM information_schema.columns
           WHERE table_schema = 'public' AND table_name = 'image'`,
        ),
      );
      const types = new Map(rows.map(({ name, type }) => [name, type]));
      expect(imageFields.map(({ name }) => [name, types.get(name)])).toEqual(
        imageFields.map(({ name, type }) => [name, columnTypes[type]]),
      );
    } finally {
      await drop();
    }
  });
});
