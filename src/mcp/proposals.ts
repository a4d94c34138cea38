import { randomBytes } from 'node:crypto';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';

/** A change that was shown and may be applied: a document, the records, and the values that each gets. */
export type ProposedWrite = Readonly<{
  document: 'change' | 'delete';
  ids: readonly string[];
  set: Readonly<Record<string, unknown>>;
}>;

/** Limits of proposals. */
export const proposalLimits = {
  /** How long a proposal may be applied. */
  milliseconds: 15 * 60_000,
  perKey: 10,
  perTenant: 200,
  records: 200,
  /** Characters of what is written to each record, as JSON. */
  setCharacters: 16_384,
} as const;

const newest = (which: string, kept: number) =>
  `SELECT id FROM mcp_proposal WHERE tenant_id = $1${which} ORDER BY created_at DESC, id OFFSET ${kept - 1}`;

const keep = tenantStatement(
  'keep-proposal',
  `WITH old AS (
     DELETE FROM mcp_proposal WHERE tenant_id = $1 AND (
       id IN (${newest(' AND api_key_id = $2', proposalLimits.perKey)}) OR id IN (${newest('', proposalLimits.perTenant)}))
   )
   INSERT INTO mcp_proposal (tenant_id, api_key_id, id, content, expires_at)
   VALUES ($1, $2, $3, $4, now() + make_interval(secs => ${proposalLimits.milliseconds / 1000}))`,
);

const find = tenantStatement(
  'find-proposal',
  `SELECT content FROM mcp_proposal WHERE tenant_id = $1 AND api_key_id = $2 AND id = $3 AND expires_at > now()`,
);

/** Proposals of a key, until they expire; the oldest make room for new ones. Every process can read them. */
export type Proposals = Readonly<{
  /** Stores a proposal and returns its id, which cannot be guessed. */
  keep(proposal: ProposedWrite): Promise<string>;
  /** The proposal with this id; null if there is none or it has expired. */
  find(id: string): Promise<ProposedWrite | null>;
}>;

export function openProposals(db: TenantDb, keyId: number): Proposals {
  return {
    async keep(proposal) {
      const id = `prop_${randomBytes(12).toString('base64url')}`;
      await db.query(keep, [keyId, id, JSON.stringify(proposal)]);
      return id;
    },
    async find(id) {
      if (!/^prop_[\w-]{16}$/.test(id)) return null;
      const [row] = (await db.query<{ content: string }>(find, [keyId, id])).rows;
      return row === undefined ? null : (JSON.parse(row.content) as ProposedWrite);
    },
  };
}
