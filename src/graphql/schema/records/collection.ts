import {
  createCollection,
  deleteCollection,
  findCollection,
  listCollections,
  placeInCollection,
  removeFromCollection,
  renameCollection,
  resources,
} from '../../../catalog/index.ts';
import type { Collection, CollectionChange, Resource } from '../../../catalog/index.ts';
import { AppError } from '../../../lib/errors.ts';
import { maxElements } from '../../../operations/index.ts';
import { recordAudit } from '../../../tenants/index.ts';
import type { AuditAction, TenantDb } from '../../../tenants/index.ts';
import { builder } from '../builder.ts';
import { actorOf, requireScope, tenantOf } from '../context.ts';
import type { Context } from '../context.ts';
import { dryRunArgs, writeFor } from '../dry-run.ts';
import { pagesOf, pageType } from '../pages.ts';
import { formulaLangArg, sortOrderArg } from '../search/list-arguments.ts';
import { requireIdsOrFormula, selectionOf } from './selection.ts';
import type { RecordsAsked } from './selection.ts';
import { readScopes } from '../read-scopes.ts';

export const RecordKindEnum = builder.enumType('RecordKind', { values: resources, description: 'A kind of records.' });

const CollectionObject = builder.objectRef<Collection>('Collection').implement({
  description:
    'A list of images and videos of the tenant, each kind in an order of its own. The formula `collection:"NAME"` ' +
    'finds what is in it, and `sortBy: collection` keeps its order.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name, unique within the tenant.' }),
    images: t.exposeInt('images', { description: 'Number of its images.' }),
    videos: t.exposeInt('videos', { description: 'Number of its videos.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

const CollectionPage = pageType(CollectionObject, {
  name: 'CollectionPage',
  description: 'A page of collections, by name.',
  results: 'The collections of this page.',
});

const CollectionChangeObject = builder.objectRef<CollectionChange>('CollectionChange').implement({
  description: 'The result of a change of a collection.',
  fields: (t) => ({
    collection: t.field({
      type: CollectionObject,
      description: 'The collection after the change.',
      resolve: ({ collection }) => collection,
    }),
    changed: t.exposeInt('changed', { description: 'Records that were added, moved or removed.' }),
    missing: t.exposeStringList('missing', { description: 'Ids without a record.' }),
  }),
});

const pages = pagesOf('Collections');
const nameArg = builder.args((t) => ({ name: t.string({ required: true, description: 'Name of the collection.' }) }));
const recordArgs = builder.args((t) => ({
  resource: t.field({
    type: RecordKindEnum,
    required: true,
    defaultValue: 'image',
    description: 'The kind of records.',
  }),
  ids: t.stringList({ required: true, description: `Ids of the records, at most ${maxElements}.` }),
}));
const addedArgs = builder.args((t) => ({
  ...recordArgs,
  ids: t.stringList({ description: `Ids of the records, at most ${maxElements}. Give \`ids\` or \`q\`.` }),
  q: t.string({ description: `A formula that finds at most ${maxElements}; empty for all.` }),
  ...formulaLangArg,
  sortBy: t.string({ description: 'Field to sort the found records by; default: best first.' }),
  ...sortOrderArg,
}));
const placeArgs = builder.args((t) => ({
  at: t.int({ description: 'The position of the first one, from 0; by default the end.' }),
}));

builder.queryFields((t) => ({
  collections: t.field({
    type: CollectionPage,
    description: 'The collections of the tenant, by name.',
    args: pages.args,
    authScopes: { scope: 'imgs:read' },
    resolve: (_root, page, context) => {
      pages.check(page);
      return listCollections(tenantOf(context), page);
    },
  }),
  collection: t.field({
    type: CollectionObject,
    nullable: true,
    description: 'A collection; null if the tenant has none with that name.',
    args: nameArg,
    authScopes: { scope: 'imgs:read' },
    resolve: (_root, { name }, context) => findCollection(tenantOf(context), name),
  }),
}));

type Asked = Readonly<{ name: string; resource: Resource; ids: readonly string[]; dryRun: boolean }>;

/** Writes and adds an entry to the audit trail. Callers must be allowed to read the records that they name. */
function changeRecords(
  context: Context,
  { name, resource, ids, dryRun }: Asked,
  what: string,
  write: (db: TenantDb) => Promise<CollectionChange>,
): Promise<CollectionChange> {
  requireScope(context, readScopes[resource]);
  if (ids.length === 0 || ids.length > maxElements)
    throw new AppError('invalid_argument', `ids must be 1 to ${maxElements}`, { argument: 'ids' });
  return writeFor(context, dryRun, async (db) => {
    const done = await write(db);
    await audit(context, db, 'collection.changed', `${name}: ${done.changed} ${resource}s ${what}`);
    return done;
  });
}

type Added = RecordsAsked &
  Readonly<{ resource: Resource; sortBy?: string | null | undefined; sortOrder: 'asc' | 'desc' }>;

/** Returns the ids of the records to add, in order: the given ones, or those that a formula finds now. */
async function addedIds(context: Context, { resource, ids, q, lang, sortBy, sortOrder }: Added): Promise<string[]> {
  requireIdsOrFormula(resource, { ids, q });
  if (ids) return [...ids];
  const listed = { sortBy: sortBy ?? '', sortOrder, most: maxElements };
  const found = selectionOf(context, resource, { q, lang }, { values: {}, correctsWords: true, listed });
  return (await found.find()).map(({ id }) => id);
}

function audit(context: Context, db: TenantDb, action: AuditAction, subject: string): Promise<void> {
  return recordAudit(db, actorOf(context), { action, subject });
}

builder.mutationFields((t) => ({
  createCollection: t.field({
    type: CollectionObject,
    description: 'Creates an empty collection.',
    args: { ...nameArg, ...dryRunArgs },
    authScopes: { scope: 'collections:write' },
    resolve: (_root, { name, dryRun }, context) =>
      writeFor(context, dryRun, async (db) => {
        const made = await createCollection(db, name);
        await audit(context, db, 'collection.created', name);
        return made;
      }),
  }),
  renameCollection: t.field({
    type: CollectionObject,
    description: 'Renames a collection. Saved formulas that refer to it keep the former name.',
    args: {
      ...nameArg,
      to: t.arg.string({ required: true, description: 'The new name, up to 100 characters without quotes.' }),
      ...dryRunArgs,
    },
    authScopes: { scope: 'collections:write' },
    resolve: (_root, { name, to, dryRun }, context) =>
      writeFor(context, dryRun, async (db) => {
        const renamed = await renameCollection(db, name, to);
        await audit(context, db, 'collection.renamed', `${name} → ${to}`);
        return renamed;
      }),
  }),
  deleteCollection: t.field({
    type: CollectionObject,
    nullable: true,
    description: 'Deletes a collection, but none of its records. Null if the tenant has none with that name.',
    args: { ...nameArg, ...dryRunArgs },
    authScopes: { scope: 'collections:write' },
    resolve: (_root, { name, dryRun }, context) =>
      writeFor(context, dryRun, async (db) => {
        const deleted = await deleteCollection(db, name);
        if (deleted !== null) await audit(context, db, 'collection.deleted', name);
        return deleted;
      }),
  }),
}));

builder.mutationFields((t) => ({
  addToCollection: t.field({
    type: CollectionChangeObject,
    description: 'Adds records to a collection, by ids or by a formula. Records already in it keep their place.',
    args: { ...nameArg, ...addedArgs, ...placeArgs, ...dryRunArgs },
    authScopes: { scope: 'collections:write' },
    resolve: async (_root, { name, resource, dryRun, at, ...which }, context) => {
      const asked = { name, resource, dryRun, ids: await addedIds(context, { resource, ...which }) };
      return changeRecords(context, asked, 'added', (db) =>
        placeInCollection(db, { ...asked, at: at ?? null, adds: true }),
      );
    },
  }),
  moveInCollection: t.field({
    type: CollectionChangeObject,
    description:
      'Moves records within a collection, together and in the order of `ids`. Records that are not in it are ignored.',
    args: { ...nameArg, ...recordArgs, ...placeArgs, ...dryRunArgs },
    authScopes: { scope: 'collections:write' },
    resolve: (_root, { at, ...asked }, context) =>
      changeRecords(context, asked, 'moved', (db) => placeInCollection(db, { ...asked, at: at ?? null, adds: false })),
  }),
  removeFromCollection: t.field({
    type: CollectionChangeObject,
    description: 'Removes records from a collection.',
    args: { ...nameArg, ...recordArgs, ...dryRunArgs },
    authScopes: { scope: 'collections:write' },
    resolve: (_root, asked, context) =>
      changeRecords(context, asked, 'removed', (db) => removeFromCollection(db, asked)),
  }),
}));
