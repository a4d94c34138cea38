import type { Resource, WriteElement } from '../../../catalog/index.ts';
import { exportedColumns, exportFormats } from '../../../exports/index.ts';
import type { ExportFile, ExportFormat } from '../../../exports/index.ts';
import { excerpt } from '../../../lib/excerpt.ts';
import { storableText } from '../../../lib/storable-text.ts';
import { checkCount, maxExported } from '../../../operations/index.ts';
import { builder } from '../builder.ts';
import { baseUrlOf, requireScope, tenantOf, viewerOf } from '../context.ts';
import type { Context } from '../context.ts';
import { formulaLangArg, sortOrderArg } from '../search/list-arguments.ts';
import { selectionOf } from './selection.ts';
import type { RecordsAsked, Selection } from './selection.ts';
import { write, writeArgs, WriteResult } from './write-records.ts';
import { readScopes } from '../read-scopes.ts';

const ExportFormatEnum = builder.enumType('ExportFormat', {
  description:
    'What an export writes: CSV (RFC 4180), NDJSON with an object in each line, or a ZIP of the files with their metadata as XMP.',
  values: Object.keys(exportFormats) as ExportFormat[],
});

const ExportedRecords = builder.inputType('ExportedRecords', {
  description: 'Records to export: give exactly one field.',
  isOneOf: true,
  fields: (t) => ({
    ids: t.idList({ description: `Ids, up to ${maxExported}; the file keeps their order.` }),
    q: t.string({ description: `Those that a formula finds, at most ${maxExported}; empty for all.` }),
  }),
});

const ExportFileRef = builder.objectRef<ExportFile>('ExportFile').implement({
  description: 'The file of an export that has ended; it is kept for a day.',
  fields: (t) => ({
    operationId: t.expose('operationId', { type: 'BigInt', description: 'Number of the operation.' }),
    format: t.expose('format', { type: ExportFormatEnum, description: 'Its format.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    byteSize: t.expose('byteSize', { type: 'BigInt', description: 'Its size in bytes.' }),
    numRecords: t.exposeInt('numRecords', { description: 'Number of records in it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it began.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it is removed.' }),
    url: t.string({
      description: 'Address to download it from, whole or in parts. It is signed: whoever has it needs no key.',
      resolve: async (file, _args, context) => {
        const path = await context.services.exports?.pathOf(viewerOf(context).tenantId, file);
        return baseUrlOf(context) + (path ?? '');
      },
    }),
  }),
});

builder.queryField('exportFile', (t) =>
  t.field({
    type: ExportFileRef,
    nullable: true,
    description: 'The file of an export; null if it has not ended, has failed, or is no longer kept.',
    args: { operationId: t.arg({ type: 'BigInt', required: true, description: 'Number of the operation.' }) },
    authScopes: { scope: 'exports:write' },
    resolve: async (_root, { operationId }, context) => {
      const file = await context.services.exports?.find(tenantOf(context), operationId);
      if (file === undefined || file === null) return null;
      // The file reveals the content of the records.
      requireScope(context, readScopes[file.resource]);
      return file;
    },
  }),
);

type Asked = RecordsAsked &
  Readonly<{
    format: ExportFormat;
    fields?: readonly string[] | null | undefined;
    sortBy?: string | null | undefined;
    sortOrder: 'asc' | 'desc';
  }>;

/** Returns the records to export: those with the ids, or those that a formula finds now. */
function recordsOf(context: Context, resource: Resource, asked: Asked): readonly WriteElement[] | Selection {
  const { ids = null, q = null, lang, format, sortBy, sortOrder } = asked;
  requireScope(context, readScopes[resource]);
  const fields = asked.fields ?? null;
  exportedColumns(resource, fields);
  const values = { format, fields };
  if (ids !== null) {
    checkCount(`${resource}s.export`, ids.length, 'ids');
    return ids.map((id) => ({ id, values }));
  }
  const listed = { sortBy: sortBy ?? '', sortOrder, most: maxExported };
  return selectionOf(context, resource, { q, lang }, { values, correctsWords: true, listed });
}

/** Maximum length of an audit entry's subject, formula included. */
const maxSubject = 500;

/** Describes a requested export for the audit trail. */
function subjectOf(resource: Resource, { ids = null, q, format }: Asked): string {
  const what = ids === null ? `${resource}s by formula ${q === '' ? '*' : q}` : `${ids.length} ${resource}s by id`;
  return storableText(excerpt(`${format} of ${what}`, maxSubject));
}

const { strict: _strict, dryRun: _dryRun, ...exportArgs } = writeArgs;

function declareExport(resource: Resource, name: 'exportImages' | 'exportVideos'): void {
  builder.mutationField(name, (t) =>
    t.field({
      type: WriteResult,
      description:
        `Exports ${resource}s into a file: those of the ids, or those that a formula finds when the export is accepted. Runs as an ` +
        'operation; writes of the tenant continue meanwhile. `exportFile` says where the file is.',
      args: {
        of: t.arg({ type: ExportedRecords, required: true, description: 'Which records.' }),
        ...formulaLangArg,
        format: t.arg({ type: ExportFormatEnum, required: true, description: 'Format of the file.' }),
        fields: t.arg.stringList({
          description:
            'Names of the fields, such as `src_path`; the id always comes first. By default those that an import reads back.',
        }),
        sortBy: t.arg.string({
          description: 'Field to sort the found records by; default: best first.',
        }),
        ...sortOrderArg,
        ...exportArgs,
      },
      authScopes: { scope: 'exports:write' },
      resolve: (_root, { of: { ids, q }, lang, format, fields, sortBy, sortOrder, ...args }, context) => {
        const asked = { ids, q, lang, format, fields, sortBy, sortOrder };
        return write(`${resource}s.export`, recordsOf(context, resource, asked), { ...args, strict: false }, context, {
          argument: 'ids',
          audit: { action: 'record.exported', subject: subjectOf(resource, asked) },
        });
      },
    }),
  );
}

declareExport('image', 'exportImages');
declareExport('video', 'exportVideos');
