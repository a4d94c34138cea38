import { changeKinds, listOperationChanges, onConflicts } from '../../../catalog/index.ts';
import type { ElementChange } from '../../../catalog/index.ts';
import { AppError } from '../../../lib/errors.ts';
import { readUndo } from '../../../operations/index.ts';
import { builder } from '../builder.ts';
import { requireScope, tenantOf, viewerOf } from '../context.ts';
import { pagesOf, pageType } from '../pages.ts';
import { FieldChangeRef } from '../records/history.ts';
import { write, writeArgs, WriteResult } from '../records/write-records.ts';
import { Operation } from './operation.ts';
import { readScopes } from '../read-scopes.ts';

const ChangeKindEnum = builder.enumType('ChangeKind', {
  description: 'The outcome of an element of an operation.',
  values: changeKinds,
});

const ElementChangeRef = builder.objectRef<ElementChange>('ElementChange').implement({
  description: 'The effect of an operation on one record, or why there was none.',
  fields: (t) => ({
    ref: t.exposeString('ref', { description: 'Id of the record.' }),
    kind: t.expose('kind', { type: ChangeKindEnum, description: 'The outcome.' }),
    fields: t.expose('fields', { type: [FieldChangeRef], description: 'Its fields before and after.' }),
    code: t.string({
      nullable: true,
      description: 'Error code, if it failed.',
      resolve: ({ failure }) => failure?.code ?? null,
    }),
    msg: t.string({
      nullable: true,
      description: 'Why it failed.',
      resolve: ({ failure }) => failure?.message ?? null,
    }),
  }),
});

const ElementChangePageRef = pageType(ElementChangeRef, {
  name: 'ElementChangePage',
  description:
    'A page of what an operation did: records that it changed, in the order of their changes, then unchanged and failed elements.',
  results: 'The elements of this page.',
});

const pages = pagesOf('Elements', { most: 200 });

builder.objectField(Operation, 'changes', (t) =>
  t.field({
    type: ElementChangePageRef,
    description:
      'What it did to each record, and to each field, for as long as the history is kept; of a dry run what it would have done.',
    args: {
      ...pages.args,
      element: t.arg.string({ description: 'Only the record with this id.' }),
      field: t.arg.string({ description: 'Only changes of this field.' }),
      kind: t.arg({ type: ChangeKindEnum, description: 'Only elements with this outcome.' }),
    },
    resolve: ({ id, resource, isDryRun }, { element, field, kind, ...page }, context) => {
      pages.check(page);
      if (resource === 'celebs') throw new AppError('not_found', 'Operation not found');
      requireScope(context, readScopes[resource]);
      const filter = { element: element ?? null, field: field ?? null, kind: kind ?? null };
      return listOperationChanges(tenantOf(context), { id: Number(id), resource, isDryRun }, filter, page);
    },
  }),
);

const OnConflictEnum = builder.enumType('OnConflict', {
  description:
    'What to do with a field that has been changed since: leave it and report an error (`skip`), put its former ' +
    'value back anyway (`overwrite`), or undo nothing at all (`fail`).',
  values: onConflicts,
});

builder.mutationField('undoOperation', (t) =>
  t.field({
    type: WriteResult,
    nullable: true,
    description:
      'Undoes an operation by another one: created records are deleted, changed fields get their former values, deleted ' +
      'records return with everything attached to them. Null if the tenant has no such operation.',
    args: {
      id: t.arg({ type: 'BigInt', required: true, description: 'Number of the operation.' }),
      onConflict: t.arg({
        type: OnConflictEnum,
        required: true,
        defaultValue: 'skip',
        description: 'What to do with fields that have been changed since.',
      }),
      ...writeArgs,
    },
    authScopes: { scope: 'ops:undo' },
    resolve: async (_root, { id, onConflict, ...args }, context) => {
      const undo = await readUndo(tenantOf(context), id, onConflict);
      if (undo === null) return null;
      requireScope(context, undo.resource === 'image' ? 'imgs:write' : 'vids:write');
      const { role, keyId, keyName } = viewerOf(context);
      if (role !== 'admin' && undo.apiKeyId !== keyId) {
        const message = `Key '${keyName}' may only undo its own operations`;
        throw new AppError('forbidden', message, { requiredScope: 'ops:undo', hint: 'Admins may undo all' });
      }
      const strict = args.strict || onConflict === 'fail';
      return write(undo.kind, undo.elements, { ...args, strict }, context, {
        audit: { action: 'operation.undone', subject: String(id) },
      });
    },
  }),
);
