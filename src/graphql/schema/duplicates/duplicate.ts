import { countRecords, findDuplicateSearch, groupTiers, listDuplicateGroups } from '../../../search/index.ts';
import { listDuplicateMembers } from '../../../search/index.ts';
import type { DuplicateSearch, DuplicateGroup, DuplicateMember } from '../../../search/index.ts';
import { findRecord } from '../../../catalog/index.ts';
import { checkReach, readDuplicateQuery } from '../../../operations/index.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import { Image } from '../records/image.ts';
import { SearchLanguage } from '../search/list-arguments.ts';
import { pagesOf } from '../pages.ts';
import { callerOf, formulaOptions } from '../search/search-query.ts';
import { requestedFields } from '../records/requested-fields.ts';
import { write, writeArgs, WriteResult } from '../records/write-records.ts';

const GroupTierEnum = builder.enumType('GroupTier', {
  description:
    'How sure it is that two images show the same picture: `near` as `i===` finds them, `same` as `i==` does, ' +
    '`edited` as `i=` does.',
  values: groupTiers,
});

const DuplicateSearchRef = builder.objectRef<DuplicateSearch>('DuplicateSearch').implement({
  description: 'A search for duplicates that has ended.',
  fields: (t) => ({
    operationId: t.expose('operationId', { type: 'BigInt', description: 'Number of its operation.' }),
    formula: t.exposeString('formula', { description: 'Of the images that it looked through; empty is all.' }),
    tier: t.expose('tier', { type: GroupTierEnum, description: 'How sure duplicates are.' }),
    distance: t.exposeInt('distance', {
      description: 'Largest PDQ distance by which hashes alone decide there, of 256 bits.',
    }),
    numImages: t.exposeInt('numImages', { description: 'Images that it looked through.' }),
    numGroups: t.exposeInt('numGroups', { description: 'Groups that it found.' }),
    numGrouped: t.exposeInt('numGrouped', { description: 'Images in groups, when it ended.' }),
    foundAt: t.expose('foundAt', { type: 'DateTime', description: 'When it ended.' }),
  }),
});

const DuplicateMemberRef = builder.objectRef<DuplicateMember>('DuplicateMember').implement({
  description: 'An image of a group of duplicates.',
  fields: (t) => ({
    imageId: t.exposeID('imageId', { description: 'Id of the image.' }),
    isFirst: t.exposeBoolean('isFirst', { description: 'It is the one that was stored first.' }),
    distance: t.exposeInt('distance', {
      nullable: true,
      description:
        'PDQ distance to the first of the group, of `edited` in the turn that fits best; null where one of the two ' +
        'has no hash.',
    }),
    image: t.field({
      type: Image,
      nullable: true,
      description: 'The record.',
      resolve: ({ imageId }, _args, context, info) =>
        findRecord(tenantOf(context), 'image', imageId, requestedFields(info)),
    }),
  }),
});

const groupPages = pagesOf('Groups', { usual: 20, most: 200 });
const memberPages = pagesOf('Images', { usual: 20 });

const DuplicateGroupRef = builder.objectRef<DuplicateGroup>('DuplicateGroup').implement({
  description: 'Images that show the same picture, by their hashes, their files, closer looks or by what people said.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'Its number within the search; the largest group has the lowest.' }),
    size: t.exposeInt('size', { description: 'How many images it has.' }),
    members: t.field({
      type: [DuplicateMemberRef],
      description: 'Its images, the one stored first at the head.',
      args: {
        ...memberPages.args,
      },
      resolve: (group, page, context) => {
        memberPages.check(page);
        return listDuplicateMembers(tenantOf(context), group, page);
      },
    }),
  }),
});

type Page = Readonly<{ search: DuplicateSearch | null; results: DuplicateGroup[]; count: () => Promise<number> }>;

const DuplicatePage = builder.objectRef<Page>('DuplicatePage').implement({
  description: 'A page of groups of duplicates, the largest first.',
  fields: (t) => ({
    search: t.expose('search', {
      type: DuplicateSearchRef,
      nullable: true,
      description: 'The search that found them; null where there is none.',
    }),
    results: t.expose('results', { type: [DuplicateGroupRef], description: 'The groups of this page.' }),
    count: t.int({ description: 'How many there are in all.', resolve: ({ count }) => count() }),
  }),
});

builder.queryField('duplicates', (t) =>
  t.field({
    type: DuplicatePage,
    description: 'Groups of duplicates that a search has found: the last one, or that of an operation.',
    args: {
      operationId: t.arg({ type: 'BigInt', description: 'The operation that looked for them; else the last one.' }),
      tier: t.arg({ type: GroupTierEnum, description: 'Only a search of this tier.' }),
      minSize: t.arg.int({ description: 'Only groups of at least so many images.' }),
      maxSize: t.arg.int({ description: 'Only groups of at most so many.' }),
      imageId: t.arg.id({ description: 'Only the group that holds this image.' }),
      q: t.arg.string({ description: 'A formula: only groups of which an image answers it.' }),
      lang: t.arg({ type: SearchLanguage, description: 'Language of its words, `ml` without one.' }),
      ...groupPages.args,
    },
    authScopes: { scope: 'imgs:read' },
    resolve: async (_root, { operationId, tier, minSize, maxSize, imageId, q, lang, ...page }, context) => {
      groupPages.check(page);
      const db = tenantOf(context);
      const asked = { q: q ?? '', lang: lang ?? 'ml', ...formulaOptions(context) };
      const searchQuery = await readDuplicateQuery(db, asked, context.services, callerOf(context));
      const search = await findDuplicateSearch(db, { operationId: operationId ?? null, tier: tier ?? null });
      if (search === null) return { search, results: [], count: async () => 0 };
      const filter = { minSize: minSize ?? null, maxSize: maxSize ?? null, imageId: imageId ?? null, searchQuery };
      return { search, ...(await listDuplicateGroups(db, search.operationId, filter, page)) };
    },
  }),
);

const { strict: _strict, ...searchArgs } = writeArgs;

builder.mutationField('findDuplicates', (t) =>
  t.field({
    type: WriteResult,
    description:
      'Looks for groups of duplicates, among all images or those that a formula finds. An operation whose second ' +
      'stage is the search: the writes of the tenant go on meanwhile. What it found is read by `duplicates`. Edits are ' +
      'looked for closely, among at most 100 000 images.',
    args: {
      q: t.arg.string({ description: 'A formula that finds the images; all without one.' }),
      lang: t.arg({ type: SearchLanguage, description: 'Language of its words, `ml` without one.' }),
      tier: t.arg({
        type: GroupTierEnum,
        defaultValue: 'same',
        required: true,
        description: 'How sure duplicates are to be.',
      }),
      ...searchArgs,
    },
    authScopes: { scope: 'dups:write' },
    resolve: async (_root, { q, lang, tier, ...args }, context) => {
      const db = tenantOf(context);
      const asked = { q: q ?? '', lang: lang ?? 'ml', ...formulaOptions(context) };
      const numTotal = await countRecords(db, await readDuplicateQuery(db, asked, context.services, callerOf(context)));
      checkReach(tier, numTotal);
      const elements = [{ id: 'duplicates', values: { ...asked, tier } }];
      return write('images.find_duplicates', elements, { ...args, strict: false }, context, { numTotal });
    },
  }),
);
