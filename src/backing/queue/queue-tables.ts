import { assertSchemaCompatibility, LATEST_SCHEMA_VERSION, runMigrations, SchemaMigrationRequiredError } from 'bullmq';
import type pg from 'pg';

/** Where BullMQ's tables are. */
export const queueSchema = 'bullmq';

/** Makes BullMQ's tables, or brings them up to date. */
export async function migrateQueue(client: pg.Client): Promise<void> {
  await runMigrations(client, queueSchema);
}

/** Whether BullMQ's tables are those of this version; takes no right but to read. */
export async function isQueueReady(client: pg.Client): Promise<boolean> {
  try {
    return (await assertSchemaCompatibility(client, queueSchema)) >= LATEST_SCHEMA_VERSION;
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return false;
    throw error;
  }
}
