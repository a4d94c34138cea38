import { canBeId } from '../../catalog/index.ts';
import { AppError } from '../../lib/errors.ts';
import { actorValues, readPage, recordAudit, tenantStatement } from '../../tenants/index.ts';
import type { Actor, Page, PageAsked, TenantDb } from '../../tenants/index.ts';
import type { Verdict } from './verdicts.ts';

/** A verdict on two images; the first is the one stored earlier. */
export type PairVerdict = Readonly<{
  firstId: string;
  secondId: string;
  verdict: Verdict;
  /** Name and first characters of the key that gave it; null for the command line. */
  saidBy: string | null;
  keyPrefix: string | null;
  saidAt: Date;
}>;

/** Who gives a verdict: for the audit trail, and the name of the key. */
export type Judge = Actor & Readonly<{ keyName: string | null }>;

export const verdictColumns = `low.image_id AS "firstId", high.image_id AS "secondId", v.verdict, v.said_by AS "saidBy",
  v.key_prefix AS "keyPrefix", v.said_at AS "saidAt"`;

const give = tenantStatement(
  'give-verdict',
  `WITH v AS (
     INSERT INTO pair_verdict (tenant_id, low_row, high_row, verdict, api_key_id, key_prefix, said_by)
     SELECT $1, least(a.row_id, b.row_id), greatest(a.row_id, b.row_id), $4, $5, $6, $7
     FROM image a JOIN image b ON b.tenant_id = $1 AND b.image_id = $3
     WHERE a.tenant_id = $1 AND a.image_id = $2
     ON CONFLICT (tenant_id, low_row, high_row) DO UPDATE
       SET verdict = EXCLUDED.verdict, api_key_id = EXCLUDED.api_key_id, key_prefix = EXCLUDED.key_prefix,
           said_by = EXCLUDED.said_by, said_at = now()
     RETURNING low_row, high_row, verdict, said_by, key_prefix, said_at
   )
   SELECT ${verdictColumns} FROM v
   JOIN image low ON low.tenant_id = $1 AND low.row_id = v.low_row
   JOIN image high ON high.tenant_id = $1 AND high.row_id = v.high_row`,
);

const unflag = tenantStatement(
  'unflag-duplicates',
  `UPDATE image SET duplicate_of = NULL
   WHERE tenant_id = $1 AND ((image_id = $2 AND duplicate_of = $3) OR (image_id = $3 AND duplicate_of = $2))`,
);

/**
 * Stores a person's verdict on two images in place of any earlier one. Null if the tenant lacks one of them.
 *
 * @throws AppError `invalid_argument` if both are the same image.
 */
export async function giveVerdict(
  db: TenantDb,
  by: Judge,
  { first, second, verdict }: Readonly<{ first: string; second: string; verdict: Verdict }>,
): Promise<PairVerdict | null> {
  if (first === second) {
    const hint = 'Name two images';
    throw new AppError('invalid_argument', 'A verdict requires two different images', {
      argument: 'second',
      hint,
    });
  }
  if (![first, second].every(canBeId)) return null;
  return db.transaction(async (client) => {
    const [keyId, keyPrefix] = actorValues(by);
    const values = [first, second, verdict, keyId, keyPrefix, by.keyName];
    const { rows } = await db.query<PairVerdict>(give, values, client);
    const [given] = rows;
    if (given === undefined) return null;
    await recordAudit(db, by, { action: 'verdict.given', subject: subjectOf(given) }, client);
    if (verdict !== 'same') await db.query(unflag, [given.firstId, given.secondId], client);
    return given;
  });
}

const withdraw = tenantStatement(
  'withdraw-verdict',
  `WITH v AS (
     DELETE FROM pair_verdict p USING image a, image b
     WHERE p.tenant_id = $1 AND a.tenant_id = $1 AND b.tenant_id = $1 AND a.image_id = $2 AND b.image_id = $3
       AND p.low_row = least(a.row_id, b.row_id) AND p.high_row = greatest(a.row_id, b.row_id)
     RETURNING p.low_row, p.high_row, p.verdict, p.said_by, p.key_prefix, p.said_at
   )
   SELECT ${verdictColumns} FROM v
   JOIN image low ON low.tenant_id = $1 AND low.row_id = v.low_row
   JOIN image high ON high.tenant_id = $1 AND high.row_id = v.high_row`,
);

/** Withdraws the verdict on two images; null if there is none. */
export async function withdrawVerdict(
  db: TenantDb,
  by: Actor,
  { first, second }: Readonly<{ first: string; second: string }>,
): Promise<PairVerdict | null> {
  if (![first, second].every(canBeId)) return null;
  return db.transaction(async (client) => {
    const { rows } = await db.query<PairVerdict>(withdraw, [first, second], client);
    const [taken] = rows;
    if (taken === undefined) return null;
    await recordAudit(db, by, { action: 'verdict.withdrawn', subject: subjectOf(taken) }, client);
    return taken;
  });
}

function subjectOf({ verdict, firstId, secondId }: PairVerdict): string {
  return `${verdict}: ${firstId}, ${secondId}`;
}

const matching = `FROM pair_verdict v
  JOIN image low ON low.tenant_id = $1 AND low.row_id = v.low_row
  JOIN image high ON high.tenant_id = $1 AND high.row_id = v.high_row
  WHERE v.tenant_id = $1 AND ($2::text IS NULL OR v.verdict = $2)
    AND ($3::text IS NULL OR low.image_id = $3 OR high.image_id = $3)`;
const list = tenantStatement(
  'list-verdicts',
  `SELECT ${verdictColumns} ${matching} ORDER BY v.said_at DESC, v.low_row, v.high_row LIMIT $4 OFFSET $5`,
);
const count = tenantStatement('count-verdicts', `SELECT count(*) AS count ${matching}`);

type VerdictFilter = Readonly<{ verdict: Verdict | null; imageId: string | null }>;

/** A page of verdicts, the newest first. */
export async function listVerdicts(
  db: TenantDb,
  { verdict, imageId }: VerdictFilter,
  page: PageAsked,
): Promise<Page<PairVerdict>> {
  if (imageId !== null && !canBeId(imageId)) return { results: [], count: async () => 0 };
  return readPage(db, { list, count }, [verdict, imageId], page);
}
