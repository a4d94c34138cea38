import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { packageRoot } from '../../src/lib/package-root.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

export const examples = join(packageRoot, 'examples');
export const pictures = join(examples, 'pictures');
const catalog = readFileSync(join(examples, 'catalog.json'), 'utf8');

/** The service with the example pictures, and a browser. */
export type Stage = Readonly<{
  world: World;
  browser: Browser;
  /** Who may do everything. */
  client: Client;
  /** Opens a page of the console as who is signed in with the key, or as nobody. */
  open(
    path?: string,
    options?: { key?: string | null; width?: number; height?: number; dark?: boolean },
  ): Promise<Visit>;
  close(): Promise<void>;
}>;

/** A page, and what went wrong in it. */
export type Visit = Readonly<{ page: Page; faults: string[]; close(): Promise<void> }>;

/** Starts the service with the six example pictures, analyzed or not. */
export async function openStage({ analyses = false, isEmpty = false } = {}): Promise<Stage> {
  const world = await openWorld({ mediaRoots: [pictures, join(examples, 'videos')], analyses });
  const client = await world.client();
  if (!isEmpty && analyses) await importAnalyzed(client);
  else if (!isEmpty) await client.write('POST', '/imgs?lang=en', catalog);
  const browser = await openBrowser();
  return {
    world,
    browser,
    client,
    async open(path = '/app/', { key = client.key, dark = false, ...size } = {}) {
      const { page, faults } = await openPage(browser, size);
      page.context().setDefaultTimeout(30_000);
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
      if (key !== null) await signInWith(page, world.url, key);
      await page.goto(world.url + path);
      return { page, faults, close: () => page.context().close() };
    },
    async close() {
      await browser.close();
      await world.close();
    },
  };
}

/** The analysis takes longer than a write may wait. */
async function importAnalyzed(client: Client): Promise<void> {
  const { body } = await client.rest('POST', '/imgs?lang=en', catalog);
  const isDone = async () => (await client.rest('GET', `/ops/${body.operation_id}`)).body.is_finished;
  while (!(await isDone())) await sleep(500);
}

async function signInWith(page: Page, url: string, key: string): Promise<void> {
  const headers = { 'API-Key': key, 'X-Vitrine-Console': '1' };
  const reply = await page.context().request.post(`${url}/app/session`, { headers });
  if (reply.status() !== 201) throw new Error(`signing in was answered ${reply.status()}`);
}
