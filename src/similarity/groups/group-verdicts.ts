import { groupBy } from '../../lib/group-by.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { PageAsked, TenantDb } from '../../tenants/index.ts';
import { verdictColumns } from './pair-verdicts.ts';
import type { PairVerdict } from './pair-verdicts.ts';

/** A group of a search for duplicates. */
type Group = Readonly<{ operationId: number; number: number }>;

const verdictsOf = tenantStatement(
  'verdicts-of-groups',
  `SELECT asked.place::int, ${verdictColumns}
   FROM unnest($2::bigint[], $3::int[]) WITH ORDINALITY AS asked(operation_id, number, place)
   CROSS JOIN LATERAL (
     SELECT p.* FROM duplicate_member a
     JOIN pair_verdict p ON p.tenant_id = $1 AND p.low_row = a.row_id
     JOIN duplicate_member b ON b.tenant_id = $1 AND b.operation_id = asked.operation_id AND b.number = asked.number
       AND b.row_id = p.high_row
     WHERE a.tenant_id = $1 AND a.operation_id = asked.operation_id AND a.number = asked.number
     ORDER BY p.low_row, p.high_row LIMIT $4 OFFSET $5
   ) AS v
   JOIN image low ON low.tenant_id = $1 AND low.row_id = v.low_row
   JOIN image high ON high.tenant_id = $1 AND high.row_id = v.high_row
   ORDER BY asked.place, v.low_row, v.high_row`,
);

/** A page of the verdicts on pairs of images of a group; one statement reads the groups of one request. */
export async function listGroupVerdicts<Asked extends Group>(
  db: TenantDb,
  group: Asked,
  { page, limit }: PageAsked,
): Promise<PairVerdict[]> {
  const load = async (groups: readonly Asked[]) => {
    const asked = [groups.map(({ operationId }) => operationId), groups.map(({ number }) => number)];
    type Row = PairVerdict & Readonly<{ place: number }>;
    const { rows } = await db.query<Row>(verdictsOf, [...asked, limit, (page - 1) * limit]);
    const byPlace = groupBy(rows, ({ place }) => place);
    return new Map(groups.map((each, at) => [each, byPlace.get(at + 1) ?? []]));
  };
  return (await db.batchLoad(`group-verdicts ${page} ${limit}`, group, load)) ?? [];
}
