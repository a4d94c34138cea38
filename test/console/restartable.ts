import process from 'node:process';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { freePort } from '../../chaos/redis.ts';
import { readConnection, toUrl } from '../../src/backing/postgres/postgres-connection.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { newDataFolder } from '../support/data-folder.ts';
import { serverPid, start } from '../support/program.ts';
import { createClient } from '../support/world.ts';
import type { Client } from '../support/world.ts';
import { pictures, signInWith } from './support.ts';

const key = 'a-key-of-the-operator-0001';

/** A service in processes of its own, which comes back by itself when it is killed, and a page of its console. */
export type Restartable = Readonly<{
  url: string;
  client: Client;
  page: Page;
  /** What went wrong in the page, but for requests that found no service. */
  faults: () => readonly string[];
  /** Kills the service. */
  kill(): void;
  /** Kills the service when it has answered the next write of a document, and keeps the answer from the page. */
  killAtAnswer(document: string): Promise<void>;
  /** Holds the next transaction that deletes an image at that place, kills the service, and ends the transaction. */
  killAtDelete(): Promise<{ isKilled: Promise<void> }>;
  close(): Promise<void>;
}>;

/** Opens the console of a service whose media root is the folder of the example pictures. */
export async function openRestartable(path = '/app/'): Promise<Restartable> {
  const DATA_DIR = newDataFolder();
  // The restarted service has to be found at the address of the tab.
  const PORT = String(await freePort());
  const { url } = await start({ DATA_DIR, MEDIA_ROOTS: pictures, AI_ANALYSIS: 'off', ADMIN_API_KEY: key, PORT });
  const browser = await openBrowser();
  const { page, faults } = await openPage(browser);
  await signInWith(page, url, key);
  await page.goto(url + path);
  const kill = () => void process.kill(serverPid(DATA_DIR), 'SIGKILL');
  return {
    url,
    client: createClient(url, key),
    page,
    faults: () => faults.filter((fault) => !fault.startsWith('Failed to load resource')),
    kill,
    killAtAnswer: (document) => afterAnswer(page, document, kill),
    killAtDelete: () => inDelete(DATA_DIR, kill),
    close: () => browser.close(),
  };
}

async function afterAnswer(page: Page, document: string, act: () => void): Promise<void> {
  let isDone = false;
  await page.route('**/graphql', async (route) => {
    const body = route.request().postData() ?? '';
    if (isDone || !body.includes(`mutation ${document}(`) || body.includes('"dryRun":true')) return route.continue();
    isDone = true;
    await route.fetch();
    act();
    await route.abort('connectionreset');
  });
}

const stalled = "FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";

async function inDelete(dataDir: string, act: () => void): Promise<{ isKilled: Promise<void> }> {
  const address = readConnection(dataDir);
  if (address === null) throw new Error('The service has no PostgreSQL of its own');
  const client = new pg.Client({ connectionString: toUrl(address) });
  client.on('error', () => {});
  await client.connect();
  await client.query(`CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(60); RETURN OLD; END $$`);
  await client.query('CREATE TRIGGER stall BEFORE DELETE ON image FOR EACH ROW EXECUTE FUNCTION stall()');
  const release = async () => {
    await expect.poll(async () => (await client.query(`SELECT ${stalled}`)).rowCount, { timeout: 20_000 }).toBe(1);
    act();
    await client.query(`SELECT pg_terminate_backend(pid) ${stalled}`);
    await client.query('DROP FUNCTION stall() CASCADE');
    await client.end();
  };
  return { isKilled: release() };
}
