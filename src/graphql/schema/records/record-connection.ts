import type { GraphQLResolveInfo } from 'graphql';
import type { RecordRow } from '../../../catalog/index.ts';
import { AppError } from '../../../lib/errors.ts';
import { answerCount, cursorOfRow, searchRecords, withMatchExplanation } from '../../../search/index.ts';
import type { RecordPage } from '../../../search/index.ts';
import { builder } from '../builder.ts';
import { routeOf, tenantOf } from '../context.ts';
import { checkLimit } from '../pages.ts';
import { inParallel } from '../search/parallel-searches.ts';
import { searchQueryOf } from '../search/search-query.ts';
import type { RecordNames, RecordType } from './record-type.ts';
import { isRequested, requested } from './requested-fields.ts';
import type { SearchArgs } from './search-arguments.ts';

/** Default number of elements of a page, if neither `first` nor `last` is given, and the maximum. */
const usual = 50;
const maxPageSize = 10_000;

/** The arguments of a connection. */
type Asked = Readonly<Partial<Record<'first' | 'last', number | null> & Record<'after' | 'before', string | null>>>;

/** The part of a list to read. */
type Range = Readonly<{ limit: number; cursor: string | null; isBackward: boolean }>;

/** A page in the terms of Relay. */
type Connection = Readonly<{ page: RecordPage; range: Range }>;

type Edge = Readonly<{ page: RecordPage; row: RecordRow }>;

const PageInfo = builder.objectRef<Connection>('PageInfo').implement({
  description: 'Where a part of a list begins and ends.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'Whether elements follow. Read backward, whether `before` was given.',
      resolve: ({ page, range }) => (range.isBackward ? range.cursor !== null : page.cursor !== null),
    }),
    hasPreviousPage: t.boolean({
      description: 'Whether elements precede. Read forward, whether `after` was given.',
      resolve: ({ page, range }) => (range.isBackward ? page.cursor !== null : range.cursor !== null),
    }),
    startCursor: t.string({
      nullable: true,
      description: 'Cursor of the first element; null without elements.',
      resolve: ({ page }) => cursorAt(page, 0),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'Cursor of the last element; null without elements.',
      resolve: ({ page }) => cursorAt(page, -1),
    }),
  }),
});

function cursorAt(page: RecordPage, index: number): string | null {
  const row = page.results.at(index);
  return row === undefined ? null : cursorOfRow(page, row);
}

/** Adds the list of a kind of record as a connection; it reads the same list as the pages, with the same cursors. */
export function declareConnection(names: RecordNames, type: RecordType, searchArgs: SearchArgs): void {
  const { resource, type: name, many, scope } = names;
  const ConnectionRef = declareConnectionType(names, type);
  builder.queryField(`${many}Connection`, (t) =>
    t.field({
      type: ConnectionRef,
      description: `${name}s as a connection, for Relay and other caches: \`${many}\` with the same formulas, orders and cursors.`,
      args: {
        ...searchArgs,
        first: t.arg.int({
          description: `Number of ${many} from the start or \`after\`, 1 to 10 000; default ${usual}.`,
        }),
        after: t.arg.string({ description: `A cursor: \`first\` ${many} after it.` }),
        last: t.arg.int({ description: `Number of ${many} from the end or \`before\`, 1 to 10 000.` }),
        before: t.arg.string({ description: `A cursor: \`last\` ${many} before it.` }),
      },
      authScopes: { scope },
      resolve: async (_root, { q, lang, sortBy, sortOrder, ...asked }, context, info) => {
        const range = rangeOf(asked);
        const options = {
          ...range,
          ...requestedRows(info),
          sortBy: sortBy ?? '',
          sortOrder,
          page: 1,
          withCursor: true,
        };
        return inParallel(context, async () => {
          const query = await searchQueryOf(context, resource, { q, lang });
          const found = await searchRecords(tenantOf(context), query, options, routeOf(context)).catch(
            (error: unknown) => {
              throw namedAfter(error, range);
            },
          );
          return { page: withMatchExplanation(found), range };
        });
      },
    }),
  );
}

function declareConnectionType({ type: name, many }: RecordNames, type: RecordType) {
  const EdgeRef = builder.objectRef<Edge>(`${name}Edge`).implement({
    description: `One of the ${many} of a connection.`,
    fields: (t) => ({
      cursor: t.string({ description: 'Its place in the list.', resolve: ({ page, row }) => cursorOfRow(page, row) }),
      node: t.field({ type, description: `The ${name.toLowerCase()}.`, resolve: ({ row }) => row }),
    }),
  });
  return builder.objectRef<Connection>(`${name}Connection`).implement({
    description: `A part of a list of ${many}.`,
    fields: (t) => ({
      edges: t.field({
        type: [EdgeRef],
        description: `The ${many}, each with its cursor.`,
        resolve: ({ page }) => page.results.map((row) => ({ page, row })),
      }),
      nodes: t.field({
        type: [type],
        description: `The ${many} without their cursors.`,
        resolve: ({ page }) => page.results,
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Where this part begins and ends.',
        resolve: (connection) => connection,
      }),
      totalCount: t.int({
        description: `The exact number of matching ${many}. Counted only if requested.`,
        resolve: ({ page: { searchQuery } }, _args, context) =>
          inParallel(context, () => answerCount(tenantOf(context), searchQuery, routeOf(context))),
      }),
    }),
  });
}

/** @throws AppError `invalid_argument` for sizes out of bounds and for arguments that exclude each other. */
function rangeOf({ first, after, last, before }: Asked): Range {
  const isBackward = isGiven(last);
  if (isBackward && isGiven(first)) throw conflict('last', 'first');
  if (isBackward && isGiven(after)) throw conflict('after', 'last');
  if (!isBackward && isGiven(before)) {
    throw new AppError('invalid_argument', 'before needs last', { argument: 'before', hint: 'Give last with it' });
  }
  const limit = (isBackward ? last : first) ?? usual;
  checkLimit(limit, maxPageSize, isBackward ? 'last' : 'first');
  return { limit, cursor: (isBackward ? before : after) ?? null, isBackward };
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

function conflict(argument: string, other: string): AppError {
  const hint = 'Read forward with first and after, backward with last and before';
  return new AppError('invalid_argument', `${argument} cannot be given with ${other}`, { argument, hint });
}

/** Returns the properties of records that edges and nodes request, and how often a reply repeats each. */
function requestedRows(info: GraphQLResolveInfo) {
  const { names, repeats } = requested(info, ['edges', 'node'], ['nodes']);
  const withRows = ['edges', 'nodes', 'pageInfo'].some((name) => isRequested(info, name));
  return { properties: names, copies: repeats, withRows };
}

/** Names the argument of a refused cursor as the connection does. */
function namedAfter(error: unknown, { isBackward }: Range): unknown {
  if (!(error instanceof AppError) || error.details['argument'] !== 'cursor') return error;
  return new AppError('invalid_argument', error.message, { argument: isBackward ? 'before' : 'after' });
}
