import { fieldsOf, naturalOrder } from '../../catalog/index.ts';
import type { Field, FieldType, Resource } from '../../catalog/index.ts';
import { AppError } from '../../lib/errors.ts';
import type { Test } from '../formula/index.ts';
import { collectionMembers } from '../formula/to-sql.ts';
import { leavesOf } from '../formula/tree.ts';
import { asksSimilarity, relevanceOf } from './search-query.ts';
import type { Parameters, SearchQuery, RowOrder } from './search-query.ts';
import { similaritiesOf } from './resolve-similarity.ts';

export type SortOrder = 'asc' | 'desc';

const similaritySorts = ['similarity', 'sim'];
/** The order of records in the collection that the formula asks for. */
const collectionSort = 'collection';

/** Sort orders other than fields of the record. */
const otherSorts: Readonly<Record<Resource, readonly string[]>> = {
  image: ['aspect_ratio', ...similaritySorts, collectionSort],
  video: [collectionSort],
};

const sortable = { image: sortableOf('image'), video: sortableOf('video') };

function sortableOf(resource: Resource) {
  return new Map(fieldsOf[resource].filter(({ sort }) => sort).map((field) => [field.name, field]));
}

/** Returns the valid values of `sort_by` for a resource, including ''. */
export function sortsOf(resource: Resource): readonly string[] {
  return ['', ...sortable[resource].keys(), ...otherSorts[resource]];
}

/** The SQL type of a field's values as a parameter; text by default. */
const parameterTypes: Partial<Record<FieldType, string>> = { integer: 'integer', number: 'float8', duration: 'float8' };

const identifiers: readonly string[] = ['image_id', 'video_id'];

/** Resources whose dates have an index (`image_by_date_idx`): latest first, records without a date last. */
const datesIndexed: readonly Resource[] = ['image'];

/** Name, expression, its type as a parameter, direction, and whether it can be missing. */
export type Sort = Readonly<{
  name: string;
  column: string;
  type: string;
  order: SortOrder;
  isNullable: boolean;
  /** Whether an index has its values in descending order, followed by the records without one. */
  isIndexed?: boolean;
  /** Another table that the expression reads. */
  join?: string;
}>;

/** Returns the order of a list. @throws AppError for an order that does not apply to the query. */
export function toSort(
  searchQuery: SearchQuery,
  { sortBy, sortOrder: order }: Readonly<{ sortBy: string; sortOrder: SortOrder }>,
  parameters: Parameters,
): Sort {
  if (similaritySorts.includes(sortBy) && !asksSimilarity(searchQuery)) {
    const message = 'Sorting by similarity needs a similarity term in q';
    const hint = 'Add a similarity term to q, such as i~ID, or sort by a field';
    throw new AppError('sort_requires_similarity', message, { argument: 'sortBy', input: sortBy, hint });
  }
  if (sortBy === '' || similaritySorts.includes(sortBy)) return bestFirst(searchQuery, order, parameters);
  if (sortBy === collectionSort) return inCollection(searchQuery, order, parameters);
  if (sortBy === 'aspect_ratio') {
    const column = '(width::float8 / NULLIF(height, 0))';
    return { name: sortBy, column, type: 'float8', order, isNullable: true };
  }
  const { resource } = searchQuery;
  const field = sortable[resource].get(sortBy);
  if (field === undefined) {
    const hint = `Sort by ${[...sortable[resource].keys(), 'aspect_ratio'].join(', ')}`;
    throw new AppError('invalid_argument', `Cannot sort ${resource}s by '${sortBy}'`, {
      argument: 'sortBy',
      hint,
    });
  }
  if (field.type === 'date') {
    const isIndexed = datesIndexed.includes(resource);
    return { name: 'date_start', column: 'date_start', type: 'date', order, isNullable: true, isIndexed };
  }
  const type = parameterTypes[field.type] ?? 'text';
  const column = isSortedNaturally(field) ? `(${field.sql} ${naturalOrder})` : field.sql;
  return { name: sortBy, column, type, order, isNullable: !field.isPresent };
}

/** Whether values are sorted naturally. Identifiers are compared byte by byte, like in their index. */
function isSortedNaturally({ type, sql }: Field): boolean {
  return (type === 'text' || type === 'keyword') && !identifiers.includes(sql);
}

/** Returns the order of the formula's first collection; other records come last. @throws AppError if it has none. */
function inCollection({ resource, condition }: SearchQuery, order: SortOrder, { parameter }: Parameters): Sort {
  const test = condition && leavesOf<Test>(condition).find(({ kind }) => kind === collectionSort);
  if (test?.kind !== collectionSort) {
    const hint = 'Add a collection to q, such as collection:"Covers of May", or sort by a field';
    const message = 'Sorting by collection needs a collection in q';
    throw new AppError('invalid_argument', message, { argument: 'sortBy', input: collectionSort, hint });
  }
  const members = collectionMembers(resource, parameter(test.name));
  const join = ` LEFT JOIN (${members}) AS members (member_row, member_position) ON member_row = row_id`;
  return { name: collectionSort, column: 'member_position', type: 'integer', order, isNullable: true, join };
}

/** Returns the default order: by similarity, otherwise by relevance to bare text, otherwise newest first. */
function bestFirst(searchQuery: SearchQuery, order: SortOrder, parameters: Parameters): Sort {
  const { condition, answers } = searchQuery;
  const similarities = condition && similaritiesOf(condition, answers);
  if (similarities) {
    const [rows, scores] = [[...similarities.keys()], [...similarities.values()]].map(parameters.parameter);
    const join = ` LEFT JOIN unnest(${rows}::bigint[], ${scores}::float8[]) AS near (near_row, near_score) ON near_row = row_id`;
    return { name: 'similarity', column: 'near_score', type: 'float8', order, isNullable: true, join };
  }
  const relevance = relevanceOf(searchQuery, parameters);
  if (relevance !== null) return { name: 'relevance', column: relevance, type: 'float8', order, isNullable: false };
  return { name: 'created_at', column: 'created_at', type: 'timestamptz', order, isNullable: false };
}

/** Returns the order as far as an index may provide it. */
export function rowOrderOf({ name, order }: Sort): RowOrder {
  return order === 'desc' && (name === 'created_at' || name === 'date_start') ? name : 'other';
}
