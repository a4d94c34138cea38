import { checkMoment, findRecord, findRecordAt } from '../../../catalog/index.ts';
import {
  answerCount,
  answerFacets,
  countColors,
  countYears,
  facetsOf,
  searchRecords,
  withMatchExplanation,
} from '../../../search/index.ts';
import type { RecordPage } from '../../../search/index.ts';
import { builder } from '../builder.ts';
import { historyDaysOf, routeOf, tenantOf } from '../context.ts';
import { ColorCountRef, FacetModeEnum, FacetRef, YearCountRef } from '../search/list-arguments.ts';
import { pagesOf } from '../pages.ts';
import { inParallel } from '../search/parallel-searches.ts';
import { searchQueryOf } from '../search/search-query.ts';
import { declareConnection } from './record-connection.ts';
import { declareType } from './record-type.ts';
import type { RecordNames, RecordType } from './record-type.ts';
import { isRequested, requested, requestedFields } from './requested-fields.ts';
import { searchArgs } from './search-arguments.ts';

/** Declares the type of a record and its facets, and the root fields of the schema that read one record and many. */
export function declareRecord(names: RecordNames) {
  const type = declareType(names);
  const facet = declareFacets(names);
  declareOne(names, type);
  declareMany(names, type, facet);
  return { type, facet };
}

function declareFacets({ resource, type: name, many }: RecordNames) {
  return builder.enumType(`${name}Facet`, {
    description: `Facet fields of ${many}.`,
    values: facetsOf(resource),
  });
}

type FacetName = ReturnType<typeof declareFacets>;

function declareOne({ resource, scope }: RecordNames, type: RecordType): void {
  builder.queryField(resource, (t) =>
    t.field({
      type,
      nullable: true,
      description: `One ${resource} by its id; null if the tenant has no such record.`,
      args: {
        id: t.arg.id({ required: true, description: `The ${resource} id.` }),
        at: t.arg({ type: 'DateTime', description: 'A moment: the record as it was then. Its analysis is null.' }),
      },
      authScopes: { scope },
      resolve: async (_root, { id, at }, context, info) => {
        const db = tenantOf(context);
        if (!at) return findRecord(db, resource, id, requestedFields(info));
        await checkMoment(db, at, historyDaysOf(context));
        return findRecordAt(db, resource, { id, at }, requestedFields(info));
      },
    }),
  );
}

const countedWithout = 'What is counted; default: all matches.';

function declarePage({ type: name, many }: RecordNames, type: RecordType, facet: FacetName) {
  return builder.objectRef<RecordPage>(`${name}Page`).implement({
    description: `A page of ${many}.`,
    fields: (t) => ({
      results: t.expose('results', { type: [type], description: `The ${many} of this page.` }),
      cursor: t.exposeString('cursor', {
        nullable: true,
        description: 'Pass it as `cursor` to get the next page; null on the last page.',
      }),
      count: t.int({
        description: `The exact number of matching ${many}. Counted only if requested.`,
        resolve: ({ count, searchQuery }, _args, context) =>
          count ?? inParallel(context, () => answerCount(tenantOf(context), searchQuery, routeOf(context))),
      }),
      years: t.field({
        type: [YearCountRef],
        description: 'Number of matches of each year, the latest first.',
        args: { mode: t.arg({ type: FacetModeEnum, description: countedWithout }) },
        resolve: ({ searchQuery }, { mode }, context) =>
          inParallel(context, () => countYears(tenantOf(context), searchQuery, mode ?? 'conjunctive')),
      }),
      colors: t.field({
        type: [ColorCountRef],
        description: 'Number of matches of each color family, the most frequent first.',
        args: { mode: t.arg({ type: FacetModeEnum, description: countedWithout }) },
        resolve: ({ searchQuery }, { mode }, context) =>
          inParallel(context, () => countColors(tenantOf(context), searchQuery, mode ?? 'conjunctive')),
      }),
      facets: t.field({
        type: [FacetRef],
        description: 'How often each value occurs among all matches.',
        args: {
          fields: t.arg({ type: [facet], required: true, description: 'The fields to count.' }),
          mode: t.arg({ type: FacetModeEnum, description: countedWithout }),
        },
        resolve: ({ searchQuery }, { fields, mode }, context) =>
          inParallel(context, () =>
            answerFacets(tenantOf(context), searchQuery, fields, mode ?? 'conjunctive', routeOf(context)),
          ),
      }),
    }),
  });
}

function declareMany(names: RecordNames, type: RecordType, facet: FacetName): void {
  const { resource, type: name, many, scope } = names;
  const asked = searchArgs(names);
  declareConnection(names, type, asked);
  const Page = declarePage(names, type, facet);
  const pages = pagesOf(`${name}s`, { most: 10_000 });
  builder.queryField(many, (t) =>
    t.field({
      type: Page,
      description: `${name}s in pages: by number up to 100 000 rows deep, by cursor at any depth.`,
      args: {
        ...asked,
        ...pages.args,
        cursor: t.arg.string({ description: 'The `cursor` of the previous page; `page` is then ignored.' }),
      },
      authScopes: { scope },
      resolve: async (_root, { q, lang, sortBy, cursor, ...args }, context, info) => {
        pages.check(args);
        const { names: properties, repeats } = requested(info, ['results']);
        const options = {
          ...args,
          sortBy: sortBy ?? '',
          cursor: cursor ?? null,
          properties,
          copies: repeats,
          withCursor: isRequested(info, 'cursor'),
          withCount: isRequested(info, 'count'),
          withRows: isRequested(info, 'results') || isRequested(info, 'cursor'),
        };
        return inParallel(context, async () => {
          const query = await searchQueryOf(context, resource, { q, lang });
          return withMatchExplanation(await searchRecords(tenantOf(context), query, options, routeOf(context)));
        });
      },
    }),
  );
}
