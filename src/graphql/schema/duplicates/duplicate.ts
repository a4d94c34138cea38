import {
  countRecords,
  findDuplicateSearch,
  groupTiers,
  listDuplicateGroups,
  listDuplicateMembers,
} from '../../../search/index.ts';
import type { DuplicateSearch, DuplicateGroup, DuplicateMember } from '../../../search/index.ts';
import { findRecord } from '../../../catalog/index.ts';
import { checkReach, readDuplicateQuery } from '../../../operations/index.ts';
import { listGroupVerdicts } from '../../../similarity/index.ts';
import type { Page } from '../../../tenants/index.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import { Image } from '../records/image.ts';
import { formulaLangArg } from '../search/list-arguments.ts';
import { pagesOf } from '../pages.ts';
import { callerOf, formulaOptions } from '../search/search-query.ts';
import { requestedFields } from '../records/requested-fields.ts';
import { write, writeArgs, WriteResult } from '../records/write-records.ts';
import { PairVerdictRef } from './verdict.ts';

const GroupTierEnum = builder.enumType('GroupTier', {
  description: 'Tier of duplicates: `near` as `i===` finds them, `same` as `i==` does, `edited` as `i=` does.',
  values: groupTiers,
});

const DuplicateSearchRef = builder.objectRef<DuplicateSearch>('DuplicateSearch').implement({
  description: 'A search for duplicates that has ended.',
  fields: (t) => ({
    operationId: t.expose('operationId', { type: 'BigInt', description: 'Number of its operation.' }),
    formula: t.exposeString('formula', { description: 'Formula of the searched images; empty means all.' }),
    tier: t.expose('tier', { type: GroupTierEnum, description: 'Tier of the duplicates.' }),
    distance: t.exposeInt('distance', {
      description: 'Maximum PDQ distance at which hashes alone decide, of 256 bits.',
    }),
    numImages: t.exposeInt('numImages', { description: 'Number of searched images.' }),
    numGroups: t.exposeInt('numGroups', { description: 'Number of groups.' }),
    numGrouped: t.exposeInt('numGrouped', { description: 'Number of images in groups, at the end of the search.' }),
    foundAt: t.expose('foundAt', { type: 'DateTime', description: 'When it ended.' }),
  }),
});

const DuplicateMemberRef = builder.objectRef<DuplicateMember>('DuplicateMember').implement({
  description: 'An image of a group of duplicates.',
  fields: (t) => ({
    imageId: t.exposeID('imageId', { description: 'Id of the image.' }),
    isFirst: t.exposeBoolean('isFirst', { description: 'Whether it was stored first.' }),
    distance: t.exposeInt('distance', {
      nullable: true,
      description:
        'PDQ distance to the first of the group, of `edited` in the turn that fits best; null where one of the two ' +
        'has no hash.',
    }),
    format: t.exposeString('format', { description: 'Format of its file, such as jpeg or png.' }),
    byteSize: t.expose('byteSize', { type: 'BigInt', description: 'Size of its file in bytes.' }),
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
const verdictPages = pagesOf('Verdicts');
const memberPages = pagesOf('Images', { usual: 20 });

const DuplicateGroupRef = builder.objectRef<DuplicateGroup>('DuplicateGroup').implement({
  description: 'Images that show the same picture, by hashes, files, close comparison or verdicts.',
  fields: (t) => ({
    number: t.exposeInt('number', {
      description: 'Its number within the search; the largest group has the lowest number.',
    }),
    size: t.exposeInt('size', { description: 'Number of images.' }),
    isDecided: t.exposeBoolean('isDecided', {
      description: 'Whether each of its images has a verdict with another of them.',
    }),
    verdicts: t.field({
      type: [PairVerdictRef],
      description: 'Verdicts on two of its images.',
      args: verdictPages.args,
      resolve: (group, page, context) => {
        verdictPages.check(page);
        return listGroupVerdicts(tenantOf(context), group, page);
      },
    }),
    members: t.field({
      type: [DuplicateMemberRef],
      description: 'Its images, the oldest first.',
      args: memberPages.args,
      resolve: (group, page, context) => {
        memberPages.check(page);
        return listDuplicateMembers(tenantOf(context), group, page);
      },
    }),
  }),
});

type FoundPage = Page<DuplicateGroup> & Readonly<{ search: DuplicateSearch | null }>;

const DuplicatePage = builder.objectRef<FoundPage>('DuplicatePage').implement({
  description: 'A page of groups of duplicates, the largest first.',
  fields: (t) => ({
    search: t.expose('search', {
      type: DuplicateSearchRef,
      nullable: true,
      description: 'The search that found them; null if there is none.',
    }),
    results: t.field({
      type: [DuplicateGroupRef],
      description: 'The groups of this page.',
      resolve: ({ results }) => [...results],
    }),
    count: t.int({ description: 'Total number.', resolve: ({ count }) => count() }),
  }),
});

builder.queryField('duplicates', (t) =>
  t.field({
    type: DuplicatePage,
    description: 'Groups of duplicates found by the last search, or by the search of an operation.',
    args: {
      operationId: t.arg({ type: 'BigInt', description: 'The operation of the search; by default the last one.' }),
      tier: t.arg({ type: GroupTierEnum, description: 'Only a search of this tier.' }),
      minSize: t.arg.int({ description: 'Minimum number of images in a group.' }),
      maxSize: t.arg.int({ description: 'Maximum number of images in a group.' }),
      imageId: t.arg.id({ description: 'Only the group with this image.' }),
      decided: t.arg.boolean({ description: 'Only decided groups, or only undecided ones.' }),
      q: t.arg.string({ description: 'A formula: only groups with an image that matches it.' }),
      ...formulaLangArg,
      ...groupPages.args,
    },
    authScopes: { scope: 'imgs:read' },
    resolve: async (_root, { operationId, tier, minSize, maxSize, imageId, decided, q, lang, ...page }, context) => {
      groupPages.check(page);
      const db = tenantOf(context);
      const asked = { q: q ?? '', lang: lang ?? 'ml', ...formulaOptions(context) };
      const searchQuery = await readDuplicateQuery(db, asked, context.services, callerOf(context));
      const search = await findDuplicateSearch(db, { operationId: operationId ?? null, tier: tier ?? null });
      if (search === null) return { search, results: [], count: async () => 0 };
      const size = { minSize: minSize ?? null, maxSize: maxSize ?? null };
      const filter = { ...size, imageId: imageId ?? null, isDecided: decided ?? null, searchQuery };
      return { search, ...(await listDuplicateGroups(db, search.operationId, filter, page)) };
    },
  }),
);

const { strict: _strict, dryRun: _dryRun, ...searchArgs } = writeArgs;

builder.mutationField('findDuplicates', (t) =>
  t.field({
    type: WriteResult,
    description:
      'Searches for groups of duplicates, among all images or those that match a formula. Runs as an operation whose second ' +
      'stage is the search: writes of the tenant continue meanwhile. `duplicates` returns the result. Edits are ' +
      'compared closely, among at most 100 000 images.',
    args: {
      q: t.arg.string({ description: 'A formula that selects the images; default: all.' }),
      ...formulaLangArg,
      tier: t.arg({
        type: GroupTierEnum,
        defaultValue: 'same',
        required: true,
        description: 'Tier of the duplicates.',
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
