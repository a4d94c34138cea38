import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { packageRoot } from '../../src/lib/package-root.ts';
import type { AnalyzerName } from '../../src/analysis/index.ts';
import { analyzerOf } from '../support/analyzers.ts';
import { openPage, withBrowser } from '../support/browser.ts';
import { heldNetwork } from '../operations/support.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

export const examples = join(packageRoot, 'examples');
export const pictures = join(examples, 'pictures');
const catalog = readFileSync(join(examples, 'catalog.json'), 'utf8');

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What breaks a rule of accessibility. The policy of the page lets no script in, so it is evaluated. */
export async function violationsOf(page: Page): Promise<unknown> {
  await page.evaluate(axe);
  return page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))]))`,
  );
}

const size = { width: 1280, height: 900 };

/** The service with the example pictures in a tenant of its own, and pages of a browser. */
export type Stage = Readonly<{
  world: World;
  /** Who may do everything. */
  client: Client;
  /** The name of the tenant. */
  tenant: string;
  /** Opens a page of the console as who is signed in with the key, or as nobody. */
  open(path?: string, options?: { key?: string | null }): Promise<Visit>;
  close(): Promise<void>;
}>;

/** A page, and what went wrong in it. Who closes it leaves it to the next visit: another page is another process. */
type Visit = Readonly<{ page: Page; faults: string[]; close(): Promise<void> }>;

/** A browser, and the pages that nobody visits. */
type Pages = Readonly<{ browser: Browser; left: Pick<Visit, 'page' | 'faults'>[] }>;

/** Opens a stage whose example pictures these analyzers analyze; without any, it shares its service with other stages. */
type OpenStage = (analyzers?: readonly AnalyzerName[]) => Promise<Stage>;

const open = (analyzers: readonly AnalyzerName[]) => {
  const analyses = analyzers.length > 0;
  return openWorld({
    mediaRoots: [pictures, join(examples, 'videos')],
    sourceAllow: heldNetwork,
    analyses,
    ...(analyses && { imageAnalyzer: analyzerOf(analyzers) }),
  });
};

/** Tests and hooks that open stages: the files of a process share a browser, and a service that analyzes nothing. */
export const withStages = withBrowser.extend<{ $worker: { openStage: OpenStage } }>({
  openStage: [
    async ({ enterBrowser }, use) => {
      const pages = { browser: await enterBrowser(), left: [] };
      const shared = await open([]);
      let tenants = 0;
      await use(async (analyzers = []) => {
        const world = analyzers.length > 0 ? await open(analyzers) : shared;
        const tenant = `stage-${(tenants += 1)}`;
        const client = await world.client({ tenant });
        if (world === shared) await importAll(client);
        else await importAnalyzed(client);
        const close = async () => {
          if (world !== shared) await world.close();
        };
        return { world, client, tenant, close, open: visits(pages, world, client) };
      });
      await shared.close();
    },
    { scope: 'worker' },
  ],
});

function visits({ browser, left }: Pages, world: World, client: Client): Stage['open'] {
  return async (path = '/app/', { key = client.key } = {}) => {
    const { page, faults } = left.pop() ?? (await openPage(browser, size));
    page.context().setDefaultTimeout(60_000);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    if (key !== null) await signInWith(page, world.url, key);
    await page.goto(world.url + path);
    const close = async () => {
      await leave(page);
      faults.length = 0;
      left.push({ page, faults });
    };
    return { page, faults, close };
  };
}

/** Takes what a page keeps out of it, and what a test has set. */
async function leave(page: Page): Promise<void> {
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.goto('about:blank');
  const context = page.context();
  await Promise.all([context.setOffline(false), context.clearPermissions(), context.clearCookies()]);
  await page.setViewportSize(size);
}

async function importAll(client: Client): Promise<void> {
  const { num_bad: failed, errors } = await client.write('POST', '/imgs?lang=en', catalog);
  if (failed > 0) throw new Error(`the example pictures cannot be stored: ${JSON.stringify(errors)}`);
}

/** The analysis takes longer than a write may wait. */
async function importAnalyzed(client: Client): Promise<void> {
  const { body } = await client.rest('POST', '/imgs?lang=en', catalog);
  const isDone = async () => (await client.rest('GET', `/ops/${body.operation_id}`)).body.is_finished;
  while (!(await isDone())) await sleep(500);
}

/** Signs in as the console does. */
export async function signInWith(page: Page, url: string, key: string): Promise<void> {
  const headers = { 'API-Key': key, 'X-Vitrine-Console': '1' };
  const reply = await page.context().request.post(`${url}/app/session`, { headers });
  if (reply.status() !== 201) throw new Error(`signing in was answered ${reply.status()}`);
}
