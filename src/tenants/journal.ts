import type { Database } from '../backing/index.ts';
import type { Logger } from '../observability/logger.ts';
import type { Actor } from './audit.ts';
import type { AuditAction } from './audit-actions.ts';

/** How long refusals and uses are buffered before they are written together. */
const flushMs = 2_000;
/** Maximum number of distinct refusals in memory; any beyond that are missing from the audit trail. */
const maxWaiting = 10_000;

type Use = { count: number };
type Refusal = Actor & { tenantId: number; action: AuditAction; subject: string; at: Date; count: number };

/** The owner of a key, as the journal needs it. */
type KeyOwner = Readonly<{ tenantId: number; keyId: number; keyPrefix: string }>;

/**
 * Counts events that are too frequent to be written one by one: uses of keys, and refused access. Both are counted in
 * memory, within bounds no matter how many requests arrive, and written in batches every few seconds.
 */
export type Journal = Readonly<{
  use(keyId: number): void;
  refuse(
    key: KeyOwner,
    action: AuditAction,
    subject: string,
    request?: Readonly<{ id: string; address: string | null }>,
  ): void;
  /** Writes buffered entries. */
  flush(): Promise<void>;
  close(): Promise<void>;
}>;

/** Locks rows in order of their ids, so that two processes never deadlock. */
const writeUses = `
  WITH key AS MATERIALIZED (
    SELECT k.id, k.tenant_id, u.count FROM api_key k JOIN json_to_recordset($1::json) AS u(id int, count int) USING (id)
    ORDER BY k.id FOR NO KEY UPDATE OF k
  ), touched AS (
    UPDATE api_key k SET last_used_at = now() FROM key WHERE k.id = key.id
  )
  INSERT INTO key_use AS d (tenant_id, api_key_id, day, count)
  SELECT tenant_id, id, (now() AT TIME ZONE 'UTC')::date, count FROM key ORDER BY id
  ON CONFLICT (api_key_id, day) DO UPDATE SET count = d.count + EXCLUDED.count`;

/** Refusals of the same kind by the same key share one row per hour. */
const writeRefusals = `
  INSERT INTO audit AS a (tenant_id, api_key_id, key_prefix, action, subject, request_id, address, at, last_at, count, bucket)
  SELECT t.id, r."keyId", r."keyPrefix", r.action, r.subject, r."requestId", r.address, r.at, now(), r.count,
         date_trunc('hour', r.at, 'UTC')
  FROM json_to_recordset($1::json) AS r("tenantId" int, "keyId" int, "keyPrefix" text, action text, subject text,
         "requestId" text, address text, at timestamptz, count int)
  JOIN tenant t ON t.id = r."tenantId"
  ORDER BY 1, 2, 4, 5
  ON CONFLICT (tenant_id, api_key_id, action, subject, bucket) WHERE bucket IS NOT NULL
  DO UPDATE SET count = a.count + EXCLUDED.count, last_at = EXCLUDED.last_at`;

export function createJournal({ pool }: Database, logger: Logger): Journal {
  let uses = new Map<number, Use>();
  let refusals = new Map<string, Refusal>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let writing: Promise<void> = Promise.resolve();

  /** The timer only runs while entries are buffered, so that an idle service does not query the database. */
  function arm(): void {
    if (timer === undefined && !isClosed) timer = setTimeout(() => void flush(), flushMs).unref();
  }

  function addUse(keyId: number, count: number): void {
    const known = uses.get(keyId);
    if (known !== undefined) known.count += count;
    else if (uses.size < maxWaiting) uses.set(keyId, { count });
    arm();
  }

  function addRefusal(refusal: Refusal): void {
    const place = `${refusal.keyId} ${refusal.action} ${refusal.subject}`;
    const known = refusals.get(place);
    if (known !== undefined) known.count += refusal.count;
    else if (refusals.size < maxWaiting) refusals.set(place, refusal);
    arm();
  }

  /** Writes run one after the other: once a flush resolves, everything from before it is written. */
  function flush(): Promise<void> {
    return (writing = writing.then(write));
  }

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const [used, refused] = [uses, refusals];
    uses = new Map();
    refusals = new Map();
    try {
      if (used.size > 0) await pool.query(writeUses, [JSON.stringify([...used].map(([id, use]) => ({ id, ...use })))]);
      used.clear();
      if (refused.size > 0) await pool.query(writeRefusals, [JSON.stringify([...refused.values()])]);
    } catch (error) {
      logger.warn({ error: String(error) }, 'the access journal could not be written; it is retried');
      for (const [keyId, { count }] of used) addUse(keyId, count);
      for (const refusal of refused.values()) addRefusal(refusal);
    }
  }

  return {
    use(keyId) {
      const known = uses.get(keyId);
      if (known === undefined) addUse(keyId, 1);
      else known.count += 1;
    },
    refuse({ tenantId, keyId, keyPrefix }, action, subject, request) {
      const { id: requestId = null, address = null } = request ?? {};
      addRefusal({ tenantId, keyId, keyPrefix, action, subject, requestId, address, at: new Date(), count: 1 });
    },
    flush,
    async close() {
      isClosed = true;
      await flush();
    },
  };
}
