import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { Prisma } from '../../prisma/generated/client/client.ts';
import { fieldsOf, listLimits, resources, writableFieldsOf } from '../../src/catalog/fields.ts';
import type { Field, FieldType, Resource } from '../../src/catalog/fields.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { contractImageFields, contractImageSorts, contractVideoFields } from '../support/contract-fields.ts';
import { cloneDatabase, onDatabase } from '../support/database.ts';

const readOnly = ['image_id', 'height', 'width', 'n_faces'];
const videoReadOnly = [
  ...['video_id', 'id', 'container', 'codec_video', 'codec_audio'],
  ...['height', 'width', 'aspect_ratio', 'fps', 'duration_secs'],
];

/** What people decided about analyses. */
const review = ['locked_fields', 'refused_keywords'];

const namesOf = (fields: readonly Field[]) => fields.map(({ name }) => name);

describe('the field table', () => {
  it('holds the fields of images in the order of the contract, then others', () => {
    const names = namesOf(fieldsOf.image);
    expect(names.slice(0, contractImageFields.length)).toEqual(contractImageFields);
    expect(names).toEqual(expect.arrayContaining(['duplicate_of', ...review, 'created_at', 'updated_at']));
    expect(new Set(names).size).toBe(names.length);
  });

  it('holds the fields of videos', () => {
    const names = namesOf(fieldsOf.video);
    expect(names).toEqual(expect.arrayContaining([...contractVideoFields, ...review, 'created_at', 'updated_at']));
    expect(new Set(names).size).toBe(names.length);
  });

  it('lets callers write what the contract does not call read only', () => {
    const images = namesOf(writableFieldsOf.image).filter((name) => contractImageFields.includes(name));
    expect(images).toEqual(contractImageFields.filter((name) => !readOnly.includes(name)));
    const videos = namesOf(writableFieldsOf.video).filter((name) => contractVideoFields.includes(name));
    const written = contractVideoFields.filter((name) => !videoReadOnly.includes(name));
    expect(videos.toSorted()).toEqual(written.toSorted());
  });

  it('sorts records by what the contract lists, as far as it is a field', () => {
    const sorts = (resource: Resource) => namesOf(fieldsOf[resource].filter(({ sort }) => sort));
    const images = contractImageSorts.filter((name) => contractImageFields.includes(name));
    expect(
      sorts('image')
        .filter((name) => contractImageFields.includes(name))
        .toSorted(),
    ).toEqual(images.toSorted());
    const videos = ['id', 'src', 'title', 'headline', 'date', 'date_jdn', 'duration_secs', 'height', 'width'];
    expect(sorts('video').toSorted()).toEqual(videos.toSorted());
  });

  it.each([
    ['boolean', ['ai_generated', 'model_release', 'property_release', 'nsfw']],
    ['list', ['keywords', 'categories', 'collections', ...review]],
    ['integer', ['height', 'width', 'n_faces']],
    ['date', ['date']],
  ] as const)('holds as %s what the contract calls so', (type, names) => {
    const inQuestion = fieldsOf.image.filter(({ name }) => contractImageFields.includes(name) || review.includes(name));
    expect(namesOf(inQuestion.filter((field) => field.type === type))).toEqual(names);
  });

  it.each(resources)('limits texts of %ss to 10 000 characters, ids to 255, the status to 64', (resource) => {
    const limits = new Map(fieldsOf[resource].map(({ name, maxLength }) => [name, maxLength]));
    expect([limits.get(`${resource}_id`), limits.get('status')]).toEqual([255, 64]);
    const others = fieldsOf[resource].filter(({ name }) => ![`${resource}_id`, 'status'].includes(name));
    expect(new Set(others.map(({ maxLength }) => maxLength))).toEqual(new Set([10_000]));
  });

  it('limits lists to 1 000 elements of 200 characters', () => {
    expect(listLimits).toEqual({ elements: 1000, length: 200 });
  });

  it.each(resources)('describes each field of %ss in a sentence', (resource) => {
    for (const { description } of fieldsOf[resource]) expect(description).toMatch(/^[A-Z`].+\.$/);
  });
});

/** The scalar fields of a model in schema.prisma: property, type and column. */
function prismaFields(resource: Resource): { property: string; type: string; column: string }[] {
  const schema = readFileSync(join(packageRoot, 'prisma', 'schema.prisma'), 'utf8');
  const model = resource === 'image' ? 'Image' : 'Video';
  const body = new RegExp(`^model ${model} \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(schema)?.[1] ?? '';
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
  number: 'Float',
  duration: 'Float',
  time: 'DateTime',
};

const columnTypes: Readonly<Record<FieldType, string>> = {
  text: 'text',
  keyword: 'text',
  date: 'text',
  list: '_text',
  boolean: 'bool',
  integer: 'int4',
  number: 'float8',
  duration: 'float8',
  time: 'timestamptz',
};

describe.each(resources)('a field of the table of %ss', (resource) => {
  /** Those that are a column of their own. */
  const columns = fieldsOf[resource].filter(({ name, sql }) => sql === name);

  it('is a property of the generated model', () => {
    const scalars = { image: Prisma.ImageScalarFieldEnum, video: Prisma.VideoScalarFieldEnum };
    const properties: readonly string[] = Object.values(scalars[resource]);
    expect(properties).toEqual(expect.arrayContaining(columns.map(({ property }) => property)));
  });

  it('has the type in the Prisma schema that its row says, and is mapped to the column of its name', () => {
    const fields = new Map(prismaFields(resource).map((field) => [field.property, field]));
    expect(columns.map(({ property }) => fields.get(property))).toEqual(
      columns.map(({ name, property, type }) => ({ property, type: prismaTypes[type], column: name })),
    );
  });

  it('has a column of its type in the tables that the migrations make', async () => {
    const { url, drop } = await cloneDatabase(inject('postgresUrl'));
    try {
      const { rows } = await onDatabase(url, (client) =>
        client.query<{ name: string; type: string }>(
          `SELECT column_name AS name, udt_name AS type FROM information_schema.columns
           WHERE table_schema = 'public' AND table_name = $1`,
          [resource],
        ),
      );
      const types = new Map(rows.map(({ name, type }) => [name, type]));
      expect(columns.map(({ name }) => [name, types.get(name)])).toEqual(
        columns.map(({ name, type }) => [name, columnTypes[type]]),
      );
    } finally {
      await drop();
    }
  });
});
