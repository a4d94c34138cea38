import { canBeId } from '../../catalog/index.ts';
import type { Page, PageAsked, TenantDb } from '../../tenants/index.ts';
import { tenantStatement } from '../../tenants/index.ts';
import { createParameters, statementOf, whereOf } from './search-query.ts';
import type { SearchQuery } from './search-query.ts';

/** The tiers of groups, named like matches. */
export const groupTiers = ['near', 'same', 'edited'] as const;
export type GroupTier = (typeof groupTiers)[number];

/** A finished search for duplicates. */
export type DuplicateSearch = Readonly<{
  operationId: number;
  /** The formula whose images were searched; empty for all. */
  formula: string;
  tier: GroupTier;
  distance: number;
  numImages: number;
  numGroups: number;
  numGrouped: number;
  foundAt: Date;
}>;

export type DuplicateGroup = Readonly<{
  operationId: number;
  number: number;
  size: number;
  /** Whether each of its images has a verdict with at least one of the others. */
  isDecided: boolean;
}>;

/**
 * An image of a group. `distance` is in bits from the group's oldest image, for `edited` in the best rotation; null
 * if either has no hash.
 */
export type DuplicateMember = Readonly<{
  imageId: string;
  distance: number | null;
  isFirst: boolean;
  /** Format of its file. */
  format: string;
  byteSize: number;
}>;

const findSearch = tenantStatement(
  'find-duplicate-search',
  `SELECT operation_id AS "operationId", formula, tier, distance, num_images AS "numImages",
          num_groups AS "numGroups", num_grouped AS "numGrouped", found_at AS "foundAt"
   FROM duplicate_search
   WHERE tenant_id = $1 AND ($2::bigint IS NULL OR operation_id = $2) AND ($3::text IS NULL OR tier = $3)
   ORDER BY operation_id DESC LIMIT 1`,
);

/** Returns the search of an operation, or else the last one (of a tier); null if there is none. */
export async function findDuplicateSearch(
  db: TenantDb,
  { operationId, tier }: Readonly<{ operationId: number | null; tier: GroupTier | null }>,
): Promise<DuplicateSearch | null> {
  return (await db.query<DuplicateSearch>(findSearch, [operationId, tier])).rows[0] ?? null;
}

type GroupFilter = Readonly<{
  minSize: number | null;
  maxSize: number | null;
  /** Only the group with this image. */
  imageId: string | null;
  /** Only decided groups, or only undecided ones. */
  isDecided: boolean | null;
  /** Only groups with an image that matches it. */
  searchQuery: SearchQuery;
}>;

/** SQL for whether every image of the group `g` has a verdict with another image of the group. */
const decided = `NOT EXISTS (
  SELECT FROM duplicate_member m WHERE m.tenant_id = $1 AND m.operation_id = g.operation_id AND m.number = g.number AND NOT EXISTS (
    SELECT FROM pair_verdict v JOIN duplicate_member o ON o.tenant_id = $1 AND o.operation_id = m.operation_id AND o.number = m.number
      AND o.row_id = CASE v.low_row WHEN m.row_id THEN v.high_row ELSE v.low_row END
    WHERE v.tenant_id = $1 AND (v.low_row = m.row_id OR v.high_row = m.row_id)))`;

/** Returns a page of the groups that a search found, largest first. */
export async function listDuplicateGroups(
  db: TenantDb,
  operationId: number,
  filter: GroupFilter,
  { page, limit }: PageAsked,
): Promise<Page<DuplicateGroup>> {
  const ask = <Row extends object>(select: (where: string, parameter: (value: unknown) => string) => string) => {
    const { values, parameter } = createParameters();
    const text = select(matching(operationId, filter, parameter), parameter);
    return db.query<Row>(statementOf(filter.searchQuery, text), values);
  };
  const { rows } = await ask<DuplicateGroup>(
    (
      where,
      parameter,
    ) => `SELECT operation_id AS "operationId", number, size, ${decided} AS "isDecided" FROM duplicate_group g WHERE ${where}
      ORDER BY number LIMIT ${parameter(limit)} OFFSET ${parameter((page - 1) * limit)}`,
  );
  return {
    results: rows,
    count: async () => {
      const counted = await ask<{ count: number }>(
        (where) => `SELECT count(*) AS count FROM duplicate_group g WHERE ${where}`,
      );
      return counted.rows[0]?.count ?? 0;
    },
  };
}

function matching(
  operationId: number,
  { minSize, maxSize, imageId, isDecided, searchQuery }: GroupFilter,
  parameter: (value: unknown) => string,
): string {
  const operation = `${parameter(operationId)}::bigint`;
  const holding = (images: string) => `number IN (
    SELECT m.number FROM duplicate_member m WHERE m.tenant_id = $1 AND m.operation_id = ${operation} AND m.row_id IN (
      SELECT row_id FROM image WHERE ${images}))`;
  return [
    `g.tenant_id = $1 AND g.operation_id = ${operation}`,
    ...(minSize === null ? [] : [`size >= ${parameter(minSize)}::int`]),
    ...(maxSize === null ? [] : [`size <= ${parameter(maxSize)}::int`]),
    ...(isDecided === null ? [] : [isDecided ? decided : `NOT ${decided}`]),
    ...(imageId === null
      ? []
      : [canBeId(imageId) ? holding(`tenant_id = $1 AND image_id = ${parameter(imageId)}`) : 'false']),
    ...(searchQuery.condition === null ? [] : [holding(whereOf(searchQuery, parameter))]),
  ].join(' AND ');
}

const members = tenantStatement(
  'duplicate-members',
  `SELECT asked.place::int, i.image_id AS "imageId", m.distance, m.is_first AS "isFirst", i.format, i.byte_size AS "byteSize"
   FROM unnest($2::bigint[], $3::int[]) WITH ORDINALITY AS asked(operation_id, number, place)
   CROSS JOIN LATERAL (
     SELECT row_id, distance, row_number() OVER (ORDER BY row_id) = 1 AS is_first FROM duplicate_member
     WHERE tenant_id = $1 AND operation_id = asked.operation_id AND number = asked.number
     ORDER BY row_id LIMIT $4 OFFSET $5
   ) AS m
   JOIN image i ON i.tenant_id = $1 AND i.row_id = m.row_id
   ORDER BY asked.place, m.row_id`,
);

/** Returns a page of the images of a group, oldest first; one statement reads all groups of a request. */
export async function listDuplicateMembers(
  db: TenantDb,
  group: DuplicateGroup,
  { page, limit }: PageAsked,
): Promise<DuplicateMember[]> {
  const load = async (groups: readonly DuplicateGroup[]) => {
    const asked = [groups.map(({ operationId }) => operationId), groups.map(({ number }) => number)];
    type Row = DuplicateMember & Readonly<{ place: number }>;
    const { rows } = await db.query<Row>(members, [...asked, limit, (page - 1) * limit]);
    const found = new Map(groups.map((each) => [each, [] as DuplicateMember[]]));
    for (const row of rows) found.get(groups[row.place - 1] as DuplicateGroup)?.push(row);
    return found;
  };
  return (await db.batchLoad(`duplicate-members ${page} ${limit}`, group, load)) ?? [];
}
