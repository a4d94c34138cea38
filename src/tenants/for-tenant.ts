import { LRUCache } from 'lru-cache';
import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import type { Prisma, PrismaClient } from '../../prisma/generated/client/client.ts';
import type { FairSemaphore } from '../lib/fair-semaphore.ts';
import { inTransaction, queryBounded } from '../backing/index.ts';
import type { Database, Queryable, Statement } from '../backing/index.ts';

/**
 * The only way to rows that belong to a tenant. Its statements take the tenant's id as `$1`, and callers pass only
 * the values after it; its Prisma client adds the tenant to every condition. So no query can forget the tenant or
 * name another one. A test reads every such statement and asserts that it compares `tenant_id` with `$1`.
 */
export type TenantDb = Readonly<{
  tenantId: number;
  pool: Pool;
  /** For administration and for relations; sees only rows of this tenant. */
  prisma: PrismaClient;
  /** Combines concurrent reads by key; tenants never share a batch. */
  batchLoad: Database['batchLoad'];
  /** Runs a statement once the tenant has a free slot; at once if the caller brings a client. */
  query<Row extends QueryResultRow>(
    statement: TenantStatement,
    values?: readonly unknown[],
    client?: Queryable,
  ): Promise<QueryResult<Row>>;
  /** Runs `work` in one transaction once the tenant has a free slot. Rolls back if it throws, or for a dry run. */
  transaction<T>(work: (client: PoolClient) => Promise<T>, options?: Readonly<{ isDryRun?: boolean }>): Promise<T>;
  /** Runs a search on a connection of its own once the tenant has a free slot. */
  search<T>(work: () => Promise<T>): Promise<T>;
}>;

/** A statement whose `$1` is the tenant's id. */
export type TenantStatement = Statement & {
  readonly forTenant: true;
  /** Whether it may read many rows, so that only a few such statements run at the same time. */
  readonly isSearch?: boolean;
  /** Whether its rows are sent on unchanged, so that their size is limited; by default, true for searches. */
  readonly isBounded?: boolean;
  /**
   * Whether it only reads, so that a replica may answer it; by default, true for searches, except those by
   * `tenantQuery`.
   */
  readonly isRead?: boolean;
};

type StatementOptions = Readonly<{
  types?: Statement['types'];
  isSearch?: boolean;
  isBounded?: boolean;
  isRead?: boolean;
}>;

const declared = new Map<string, TenantStatement>();

/** Declares a prepared statement on a tenant's rows; without a name, it is not prepared. */
export function tenantStatement(
  name: string,
  text: string,
  { isSearch = false, isRead = isSearch }: Readonly<{ isSearch?: boolean; isRead?: boolean }> = {},
): TenantStatement {
  const isBounded = isSearch;
  const statement: TenantStatement = { name, text, forTenant: true, isRead, ...(isSearch && { isSearch, isBounded }) };
  declared.set(name, statement);
  return statement;
}

/** Maximum number of statements that stay prepared; the clients of a catalog use a handful. */
const preparedTexts = 200;
const prepared = new LRUCache<string, TenantStatement>({ max: preparedTexts });

/** A statement whose text depends on the request: on columns, order, or conditions. */
export function tenantStatementOf(
  text: string,
  { types, isSearch = false, isBounded = isSearch, isRead = isSearch }: StatementOptions = {},
): TenantStatement {
  let statement = prepared.get(text);
  if (statement === undefined) {
    // Names are limited in number, because each stays prepared on every connection until that is closed.
    const name = prepared.size < preparedTexts ? `composed-${prepared.size}` : '';
    statement = { ...tenantStatement(name, text), ...(types && { types }), isSearch, isBounded, isRead };
    prepared.set(text, statement);
  }
  return statement;
}

/** A search that is planned for its values every time it runs, which suits formulas. */
export function tenantQuery(text: string, types?: Statement['types']): TenantStatement {
  return { ...tenantStatement('', text), ...(types && { types }), isSearch: true, isBounded: true };
}

/** Like `tenantQuery`, for a statement that a replica may answer. */
export function tenantRead(text: string, types?: Statement['types']): TenantStatement {
  return { ...tenantQuery(text, types), isRead: true };
}

/** All statements declared so far, for the tenancy test. */
export function declaredTenantStatements(): readonly TenantStatement[] {
  return [...declared.values()];
}

export function forTenant(database: Database, tenantId: number): TenantDb {
  const { pool, replicas, prisma, batchLoad, fairConnections, activeTenants } = database;
  let bound: PrismaClient | undefined;
  const { statements, searches, transactions } = fairConnections;
  const search: TenantDb['search'] = (work) => {
    activeTenants.note(tenantId);
    return searches.run(tenantId, () => statements.run(tenantId, work));
  };
  return {
    tenantId,
    pool,
    get prisma() {
      return (bound ??= bindPrisma(prisma, statements, tenantId));
    },
    batchLoad: (group, key, load) => batchLoad(`${tenantId} ${group}`, key, load),
    transaction: (work, options) => transactions.run(tenantId, () => inTransaction(pool, work, options)),
    search,
    query<Row extends QueryResultRow>(
      { name, text, types, isSearch, isBounded, isRead }: TenantStatement,
      values: readonly unknown[] = [],
      client?: Queryable,
    ): Promise<QueryResult<Row>> {
      const query = { name, text, ...(types && { types }), values: [tenantId, ...values] };
      if (client !== undefined) return (client as Pool).query<Row>(query);
      const run = (from: Pool) => (isBounded ? queryBounded<Row>(from, query) : from.query<Row>(query));
      const ask = () => (isRead && replicas !== null ? replicas.read(run) : run(pool));
      return isSearch ? search(ask) : statements.run(tenantId, ask);
    },
  };
}

/**
 * Runs all statements of a tenant in one transaction, so that each sees what earlier ones have written. Reads through
 * Prisma are not part of it.
 */
export function transactionOf<T>(
  db: TenantDb,
  work: (db: TenantDb) => Promise<T>,
  { isDryRun = false } = {},
): Promise<T> {
  const within = (client: PoolClient) =>
    work({
      ...db,
      query: (statement, values, own = client) => db.query(statement, values, own),
      transaction: (inner) => inner(client),
    });
  return db.transaction(within, { isDryRun });
}

/** Like `transactionOf`, but rolled back in the end: nothing is stored, audited or sent. */
export function dryRunOf<T>(db: TenantDb, work: (db: TenantDb) => Promise<T>): Promise<T> {
  return transactionOf(db, work, { isDryRun: true });
}

/** Models whose rows have no tenant; a tenant's client cannot access them. */
const shared: readonly Prisma.ModelName[] = ['ServiceProcess', 'SearchIndex', 'ServiceKey'];
const readings = [
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'findUnique',
  'findUniqueOrThrow',
  'count',
  'aggregate',
  'groupBy',
];

function bindPrisma(prisma: PrismaClient, statements: FairSemaphore, tenantId: number): PrismaClient {
  const bound = prisma.$extends({
    query: {
      $allModels: {
        $allOperations({ model, operation, args, query }) {
          if (shared.includes(model) || !readings.includes(operation)) {
            throw new Error(`${model}.${operation} is not allowed for the client of a tenant`);
          }
          const own = model === 'Tenant' ? { id: tenantId } : { tenantId };
          const { where } = args as { where?: { AND?: object | object[] } };
          // AND, because a condition of the caller may narrow the tenant's rows but never widen them.
          const conditions = [own, ...[where?.AND ?? []].flat()];
          const narrowed = { ...args, where: { ...where, AND: conditions } } as typeof args;
          return statements.run(tenantId, () => query(narrowed));
        },
      },
    },
  });
  // An extended client serves all readers as a PrismaClient; its type only lacks the event methods.
  return bound as unknown as PrismaClient;
}
