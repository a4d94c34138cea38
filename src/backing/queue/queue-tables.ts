import { assertSchemaCompatibility, LATEST_SCHEMA_VERSION, runMigrations, SchemaMigrationRequiredError } from 'bullmq';
import type pg from 'pg';

/** The schema of BullMQ's tables. */
export const queueSchema = 'bullmq';

/** Creates BullMQ's tables, or updates them. */
export async function migrateQueue(client: pg.Client): Promise<void> {
  await runMigrations(client, queueSchema);
}

/** Whether BullMQ's tables are up to date for this version; needs only read access. */
export async function isQueueReady(client: pg.Client): Promise<boolean> {
  try {
    return (await assertSchemaCompatibility(client, queueSchema)) >= LATEST_SCHEMA_VERSION;
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return false;
    throw error;
  }
}
