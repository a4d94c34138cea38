import { GraphQLError } from 'graphql';
import { fromAnalyzedRecord } from '../../../catalog/index.ts';
import type { Resource, WriteElement } from '../../../catalog/index.ts';
import { analyzedPage } from '../../../exports/index.ts';
import type { AnalyzedPage } from '../../../exports/index.ts';
import { ElementError } from '../../../lib/errors.ts';
import { isObject } from '../../../lib/is-object.ts';
import { checkCount } from '../../../operations/index.ts';
import { builder } from '../builder.ts';
import { requireScope, tenantOf } from '../context.ts';
import { checkLimit } from '../pages.ts';
import { describeValue } from '../scalars.ts';
import { write, writeArgs, WriteResult } from './write-records.ts';
import { readScopes } from '../read-scopes.ts';

/** Maximum number of records on a page: with their analyses, they take about 12 KB each. */
const mostOnPage = 1000;

/** Returns a JSON object, which a document without variables sends as a string. */
function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  let record = value;
  try {
    if (typeof value === 'string') record = JSON.parse(value);
  } catch {
    // It is not JSON.
  }
  if (isObject(record)) return record;
  throw new GraphQLError(`AnalyzedRecord cannot be ${describeValue(value)}`);
}

builder.scalarType('AnalyzedRecord', {
  description:
    'A record with its analysis, a JSON object or its text: a line of an export of the format `analyzed`. Its fields have the names of REST; ' +
    '`analysis` has what analyzers found, fingerprints, vectors and the facts of the file.',
  serialize: (value) => value,
  parseValue: toRecord,
});

const AnalyzedPageRef = builder.objectRef<AnalyzedPage>('AnalyzedPage').implement({
  description: 'Records with their analyses, in the order in which they were made.',
  fields: (t) => ({
    results: t.field({
      type: ['AnalyzedRecord'],
      description: 'The records.',
      resolve: ({ results }) => results.slice(),
    }),
    cursor: t.exposeString('cursor', {
      nullable: true,
      description: 'Cursor to continue after them; null if nothing is left.',
    }),
  }),
});

const { strict: _strict, ...importArgs } = writeArgs;

/** Converts a record to an element; a record that cannot be read fails by itself. */
function toElement(record: Readonly<Record<string, unknown>>, resource: Resource): WriteElement {
  try {
    return fromAnalyzedRecord(record, resource);
  } catch (error) {
    if (!(error instanceof ElementError)) throw error;
    const { code, message, field } = error;
    const { id } = record;
    return { id: typeof id === 'string' ? id : '', values: {}, fault: { code, message, field } };
  }
}

function declareAnalyzed(resource: Resource, type: 'Images' | 'Videos'): void {
  builder.queryField(`analyzed${type}`, (t) =>
    t.field({
      type: AnalyzedPageRef,
      description: `All ${resource}s with their analyses, page by page: what \`import${type}\` of another installation takes.`,
      args: {
        after: t.arg.string({ description: '`cursor` of the previous page.' }),
        limit: t.arg.int({ required: true, defaultValue: 200, description: 'Records per page, 1 to 1000.' }),
      },
      authScopes: { scope: 'exports:write' },
      resolve: (_root, { after = null, limit }, context) => {
        requireScope(context, readScopes[resource]);
        checkLimit(limit, mostOnPage);
        return analyzedPage(tenantOf(context), resource, { after, limit });
      },
    }),
  );
  builder.mutationField(`import${type}`, (t) =>
    t.field({
      type: WriteResult,
      description:
        `Creates ${resource}s with the analyses that they had elsewhere: no source is read and nothing is analyzed. ` +
        'Supplied analyses are checked and apply to the tenant alone. An element whose id exists fails with `already_exists`.',
      args: {
        records: t.arg({ type: ['AnalyzedRecord'], required: true, description: `The ${resource}s, 1 to 10 000.` }),
        ...importArgs,
      },
      authScopes: { scope: 'records:import' },
      resolve: (_root, { records, ...args }, context) => {
        const kind = `${resource}s.create` as const;
        // Reading them takes long.
        checkCount(kind, records.length, 'records');
        const elements = records.map((record) => toElement(record, resource));
        return write(kind, elements, { ...args, strict: false }, context, { argument: 'records' });
      },
    }),
  );
}

declareAnalyzed('image', 'Images');
declareAnalyzed('video', 'Videos');
