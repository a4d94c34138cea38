import { checkMoment, fieldsOf, findRecord, findRecordAt } from '../../../catalog/index.ts';
import type { Field, FieldType, RecordRow, Resource } from '../../../catalog/index.ts';
import {
  answerCount,
  answerFacets,
  countColors,
  countYears,
  facetsOf,
  searchRecords,
  sortsOf,
  withMatchExplanation,
} from '../../../search/index.ts';
import type { FacetMode, RecordPage } from '../../../search/index.ts';
import type { Scope } from '../../../tenants/index.ts';
import { AiStatusEnum } from '../analysis/ai-status.ts';
import { builder, LanguageEnum } from '../builder.ts';
import { historyDaysOf, routeOf, tenantOf } from '../context.ts';
import {
  ColorCountRef,
  FacetModeEnum,
  FacetRef,
  YearCountRef,
  SearchLanguageEnum,
  SortOrderEnum,
} from '../search/list-arguments.ts';
import { pagesOf } from '../pages.ts';
import { inParallel } from '../search/parallel-searches.ts';
import { searchQueryOf } from '../search/search-query.ts';
import { linkFields } from './link-fields.ts';
import { isRequested, requested, requestedFields } from './requested-fields.ts';

/** How the schema names a kind of record, and the scope that reading it takes. */
export type RecordNames = Readonly<{ resource: Resource; type: string; many: string; scope: Scope }>;

/** The type of the schema for each type of the field table. */
const schemaTypes = {
  text: 'String',
  keyword: 'String',
  date: 'String',
  list: ['String'],
  boolean: 'Boolean',
  integer: 'Int',
  number: 'Float',
  duration: 'Float',
  time: 'DateTime',
} as const satisfies Record<FieldType, unknown>;

/** The type of a record and its facets, and the fields at the root of the schema that read one and many. */
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

type RecordType = ReturnType<typeof declareType>;
type FacetName = ReturnType<typeof declareFacets>;

function declareType({ resource, type }: RecordNames) {
  return builder.objectRef<RecordRow>(type).implement({
    description: `${resource === 'image' ? 'An' : 'A'} ${resource} of the catalog.`,
    fields: (t) => ({
      version: t.exposeString('version', {
        nullable: false as true,
        description: 'Changes with every write of the record; a write with another version as `ifMatch` fails.',
      }),
      lang: t.expose('lang', {
        type: LanguageEnum,
        nullable: false as true,
        description: 'Language of its texts; an update with another `lang` changes it.',
      }),
      ...linkFields(t, resource),
      ...Object.fromEntries(
        fieldsOf[resource].map(({ property, type: fieldType, access, isPresent, description }: Field) => [
          property,
          // The table's names are the row's properties (a test compares them), which types cannot see.
          t.expose(property as 'title', {
            type: typeOf(property, access, fieldType) as 'String',
            nullable: !isPresent as true,
            description,
          }),
        ]),
      ),
    }),
  });
}

function typeOf(property: string, access: Field['access'], type: FieldType): unknown {
  if (property === 'aiStatus') return AiStatusEnum;
  return access === 'identifier' || property === 'id' ? 'ID' : schemaTypes[type];
}

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
        resolve: ({ searchQuery }, _args, context) =>
          inParallel(context, () => answerCount(tenantOf(context), searchQuery, routeOf(context))),
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
            answerFacets(
              tenantOf(context),
              searchQuery,
              fields,
              (mode ?? 'conjunctive') as FacetMode,
              routeOf(context),
            ),
          ),
      }),
    }),
  });
}

function declareMany(names: RecordNames, type: RecordType, facet: FacetName): void {
  const { resource, type: name, many, scope } = names;
  const Sort = builder.enumType(`${name}Sort`, {
    description: `What a list of ${many} can be sorted by.${resource === 'image' ? ' `similarity`, or `sim` for short, needs a formula with a similarity term.' : ''}`,
    values: sortsOf(resource).filter((sort) => sort !== ''),
  });
  const Page = declarePage(names, type, facet);
  const pages = pagesOf(`${name}s`, { most: 10_000 });
  builder.queryField(many, (t) =>
    t.field({
      type: Page,
      description: `${name}s in pages: by number up to 100 000 rows deep, by cursor at any depth.`,
      args: {
        q: t.arg.string({ description: 'The search formula; default: everything.' }),
        lang: t.arg({ type: SearchLanguageEnum, description: 'Language of its words; default `ml`.' }),
        ...pages.args,
        sortBy: t.arg({
          type: Sort,
          description:
            'Field to sort by. By default the most similar come first if the formula has a similarity term, else ' +
            'the most relevant to its bare text, else the newest.',
        }),
        sortOrder: t.arg({
          type: SortOrderEnum,
          defaultValue: 'desc',
          required: true,
          description: 'Direction of sorting.',
        }),
        cursor: t.arg.string({ description: 'The `cursor` of the previous page; `page` is then ignored.' }),
      },
      authScopes: { scope },
      resolve: async (_root, { q, lang, sortBy, cursor, ...args }, context, info) => {
        pages.check(args);
        const { names, repeats } = requested(info, ['results']);
        const options = {
          ...args,
          sortBy: sortBy ?? '',
          cursor: cursor ?? null,
          properties: names,
          copies: repeats,
          withCursor: isRequested(info, 'cursor'),
          withRows: isRequested(info, 'results') || isRequested(info, 'cursor'),
        };
        return inParallel(context, async () => {
          const asked = await searchQueryOf(context, resource, { q, lang });
          return withMatchExplanation(await searchRecords(tenantOf(context), asked, options, routeOf(context)));
        });
      },
    }),
  );
}
