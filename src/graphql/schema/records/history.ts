import { changeActions, checkMoment, listRecordChanges } from '../../../catalog/index.ts';
import type { FieldChange, RecordChange, Resource } from '../../../catalog/index.ts';
import { storableText } from '../../../lib/storable-text.ts';
import type { Page } from '../../../tenants/index.ts';
import { ProvenanceObject } from '../analysis/image-analysis.ts';
import { builder } from '../builder.ts';
import { historyDaysOf, tenantOf } from '../context.ts';
import { pagesOf, pageType } from '../pages.ts';
import { Image } from './image.ts';
import { Video } from './video.ts';
import { write, writeArgs, WriteResult } from './write-records.ts';

export const FieldChangeRef = builder.objectRef<FieldChange>('FieldChange').implement({
  description: 'The effect of a change on one field.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'Name of the field.' }),
    before: t.expose('before', { type: 'FieldValue', nullable: true, description: 'Its value before.' }),
    after: t.expose('after', { type: 'FieldValue', nullable: true, description: 'Its value after.' }),
    beforeProvenance: t.expose('beforeProvenance', {
      type: ProvenanceObject,
      nullable: true,
      description: 'Source of the value before; null if a caller set it.',
    }),
    afterProvenance: t.expose('afterProvenance', {
      type: ProvenanceObject,
      nullable: true,
      description: 'Source of the value after; null if a caller set it.',
    }),
  }),
});

const ChangeActionEnum = builder.enumType('ChangeAction', {
  description: 'What a change did to a record; a restored record counts as created.',
  values: changeActions,
});

const RecordChangeRef = builder.objectRef<RecordChange>('RecordChange').implement({
  description: 'A change of a record: by whom, when, and what it did to each field.',
  fields: (t) => ({
    operationId: t.expose('operationId', {
      type: 'BigInt',
      nullable: true,
      description: 'Number of the operation; null for a change without one, such as a verdict on two images.',
    }),
    keyName: t.exposeString('keyName', { nullable: true, description: 'Name of the key; null for the command line.' }),
    keyPrefix: t.exposeString('keyPrefix', {
      nullable: true,
      description: 'Prefix of the key, as in `ApiKey.prefix`.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    action: t.expose('action', { type: ChangeActionEnum, description: 'What was done.' }),
    fields: t.expose('fields', { type: [FieldChangeRef], description: 'The fields that were changed.' }),
  }),
});

const RecordChangePageRef = pageType(RecordChangeRef, {
  name: 'RecordChangePage',
  description: 'A page of changes of a record, newest first.',
  results: 'The changes of this page.',
});

const pages = pagesOf('Changes', { most: 200 });

for (const [resource, type] of [
  ['image', Image],
  ['video', Video],
] as const) {
  // prettier-ignore
  builder.objectField(type, 'history', (t) =>
    t.field({
      type: RecordChangePageRef,
      description: 'Its changes, newest first, for as long as the history is kept.',
      args: pages.args,
      resolve: async ({ recordId = '' }, page, context) => {
        pages.check(page);
        return (await listRecordChanges(tenantOf(context), resource, recordId, page)) ?? nothing;
      },
    }),
  );
}

/** The history page of a record that was deleted, together with its history, after the record was read. */
const nothing: Page<RecordChange> = { results: [], count: async () => 0 };

type Scopes = Readonly<{ read: 'imgs:read' | 'vids:read'; write: 'imgs:write' | 'vids:write' }>;

function declareHistory(resource: Resource, name: string, { read, write: writeScope }: Scopes): void {
  builder.queryField(`${resource}History`, (t) =>
    t.field({
      type: RecordChangePageRef,
      nullable: true,
      description: `Changes of ${name}, newest first, even after its deletion; null if there never was one with this id.`,
      args: { id: t.arg.id({ required: true, description: `The ${resource} id.` }), ...pages.args },
      authScopes: { scope: read },
      resolve: (_root, { id, ...page }, context) => {
        pages.check(page);
        return listRecordChanges(tenantOf(context), resource, id, page);
      },
    }),
  );
  builder.mutationField(resource === 'image' ? 'restoreImage' : 'restoreVideo', (t) =>
    t.field({
      type: WriteResult,
      description: `Restores ${name} to what it was at a moment, even if it has been deleted since.`,
      args: {
        id: t.arg.id({ required: true, description: `The ${resource} id.` }),
        at: t.arg({ type: 'DateTime', required: true, description: 'The moment.' }),
        ...writeArgs,
      },
      authScopes: { scope: writeScope },
      resolve: async (_root, { id, at, ...args }, context) => {
        await checkMoment(tenantOf(context), at, historyDaysOf(context));
        const moment = at.toISOString();
        return write(`${resource}s.restore`, [{ id, values: {}, revert: { at: moment } }], args, context, {
          audit: { action: 'record.restored', subject: `${resource} '${storableText(id, 255)}' ${moment}` },
        });
      },
    }),
  );
}

declareHistory('image', 'an image', { read: 'imgs:read', write: 'imgs:write' });
declareHistory('video', 'a video', { read: 'vids:read', write: 'vids:write' });
