import { createHash } from 'node:crypto';
import type { WriteElement } from '../../catalog/index.ts';
import { AppError } from '../../lib/errors.ts';
import { TimeSlice } from '../../lib/time-slice.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { keepKeysHours, waitSeconds } from '../limits.ts';
import { checkPrecondition } from '../store/precondition.ts';
import { callWorker, prepareOperation, storeOperation } from './submit.ts';
import type { Submission, SubmitDeps } from './submit.ts';

/** The caller's key for a write, and the route it was sent to, such as `POST /imgs`. */
export type IdempotencyKey = Readonly<{ key: string; route: string }>;

/** The operation that a key stands for: accepted now, or for an earlier request. */
export type KeyedOperation = Readonly<{
  id: number;
  numTotal: number;
  isNew: boolean;
  isFinished: boolean;
  /** Whether the request was, or will be, answered before its operation ends. */
  isAnsweredEarly: boolean;
  /** Whether no request would still be waiting: either its process has died, or its client has hung up. */
  isOverdue: boolean;
}>;

/** An expired key counts as absent, whether or not it has been removed yet. */
const claimKey = tenantStatement(
  'claim-idempotency-key',
  `INSERT INTO idempotency_key AS k (tenant_id, key, fingerprint, answered_early, expires_at)
   VALUES ($1, $2, $3, $4, now() + interval '${keepKeysHours} h')
   ON CONFLICT (tenant_id, key) DO UPDATE
     SET fingerprint = EXCLUDED.fingerprint, answered_early = EXCLUDED.answered_early, operation_id = NULL,
         created_at = now(), expires_at = EXCLUDED.expires_at
     WHERE k.tenant_id = $1 AND k.expires_at <= now()
   RETURNING key`,
);

const bindKey = tenantStatement(
  'bind-idempotency-key',
  'UPDATE idempotency_key SET operation_id = $3 WHERE tenant_id = $1 AND key = $2',
);

const findKey = tenantStatement(
  'find-idempotency-key',
  `SELECT k.fingerprint, k.answered_early AS "isAnsweredEarly", o.id, o.num_total AS "numTotal",
          o.state = 'finished' AS "isFinished", k.created_at < now() - interval '${waitSeconds.max} s' AS "isOverdue"
   FROM idempotency_key k JOIN operation o ON o.tenant_id = $1 AND o.id = k.operation_id
   WHERE k.tenant_id = $1 AND k.key = $2 AND k.expires_at > now()`,
);

const answerEarly = tenantStatement(
  'answer-early',
  'UPDATE idempotency_key SET answered_early = true WHERE tenant_id = $1 AND key = $2',
);

/** Maximum attempts to claim a key. A key found in use may be removed before it can be read, but hardly this often. */
const attempts = 3;

/**
 * Accepts a write with an idempotency key. Key and operation are stored in one transaction: of several requests with
 * the same key, exactly one becomes an operation, even if they arrive at the same time, and the others get that
 * operation.
 *
 * @throws AppError `idempotency_key_reused` if the key belongs to another write.
 */
export async function submitOnce(
  db: TenantDb,
  deps: SubmitDeps,
  submission: Submission,
  { key, route }: IdempotencyKey,
): Promise<KeyedOperation> {
  const fingerprint = await fingerprintOf(submission, route);
  const prepared = await prepareOperation(db, submission);
  const isAnsweredEarly = !submission.wait;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const id = await db.transaction(async (client) => {
      const { rowCount } = await db.query(claimKey, [key, fingerprint, isAnsweredEarly], client);
      if (rowCount === 0) return null;
      await checkPrecondition(db, submission, client);
      const accepted = await storeOperation(db, prepared, client);
      await db.query(bindKey, [key, accepted], client);
      return accepted;
    });
    if (id !== null) {
      callWorker(db, deps, { id, prepared, submission });
      return {
        id,
        numTotal: submission.numTotal ?? submission.elements.length,
        isNew: true,
        isFinished: false,
        isAnsweredEarly,
        isOverdue: false,
      };
    }
    const known = await findOperation(db, key, fingerprint);
    if (known !== null) return known; // Otherwise it was just removed, with its operation.
  }
  throw new Error('an idempotency key cannot be claimed and does not exist');
}

/**
 * The operation that a key stands for; null for a new key.
 *
 * @throws AppError `idempotency_key_reused` if the key belongs to another write.
 */
export async function findNamed(
  db: TenantDb,
  submission: Submission,
  { key, route }: IdempotencyKey,
): Promise<KeyedOperation | null> {
  return findOperation(db, key, await fingerprintOf(submission, route));
}

async function findOperation(db: TenantDb, key: string, fingerprint: Buffer): Promise<KeyedOperation | null> {
  const { rows } = await db.query<Omit<KeyedOperation, 'isNew'> & { fingerprint: Buffer }>(findKey, [key]);
  const [known] = rows;
  if (known === undefined) return null;
  const { fingerprint: other, ...named } = known;
  if (!fingerprint.equals(other)) throw reused(key);
  return { ...named, isNew: false };
}

/** Records that a blocking request was answered before its operation ended. */
export async function rememberEarlyAnswer(db: TenantDb, key: string): Promise<void> {
  await db.query(answerEarly, [key]);
}

function reused(key: string): AppError {
  return new AppError('idempotency_key_reused', `The Idempotency-Key '${key}' was used for another request`, {
    hint: `Send a new key with each new request; a key is kept for ${keepKeysHours} hours`,
  });
}

/** The error for a key whose first request has not been answered yet. */
export function keyInUse(key: string): AppError {
  return new AppError(
    'idempotency_key_in_use',
    `The first request with the Idempotency-Key '${key}' is still running`,
    {
      hint: 'Try again in a second',
    },
  );
}

/** SHA-256 of everything that determines what a write does, in canonical form: sorted names, defaults filled in. */
async function fingerprintOf(
  { kind, elements, said, wait, urgent, strict, lang, ...own }: Submission,
  route: string,
): Promise<Buffer> {
  const rules = [own.onDuplicate, own.respectLocks && 'respect locks', own.dryRun && 'dry run'].filter(Boolean);
  const options = [route, kind, wait, urgent, strict, lang, ...rules];
  const hash = createHash('sha256').update(JSON.stringify(options));
  if (said !== undefined) return hash.update(JSON.stringify(said)).digest();
  const slice = new TimeSlice();
  for (const element of elements) {
    hash.update(canonical(element));
    if (slice.isOver) await slice.pause();
  }
  return hash.digest();
}

function canonical({
  id,
  values,
  unknownFields = [],
  ifMatch,
  revert,
  into,
  intoIfMatch,
  ...own
}: WriteElement): string {
  const fields = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const { fault, analysis, ...rest } = own;
  const complete: Readonly<Record<string, never>> = rest; // Fails to compile if the hash leaves out a property.
  return JSON.stringify([
    id,
    fields,
    unknownFields.toSorted(),
    ...(ifMatch === undefined ? [] : [ifMatch]),
    ...(revert ? [revert] : []),
    ...(into === undefined ? [] : ['into', into, intoIfMatch ?? null]),
    ...(fault === undefined ? [] : ['fault', fault]),
    ...(analysis === undefined ? [] : ['analysis', analysis]),
    ...Object.keys(complete),
  ]);
}
