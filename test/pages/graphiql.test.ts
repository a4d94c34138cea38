import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { packageRoot } from '../../src/lib/package-root.ts';
import { browserPath, openPage, whyNoBrowser, withBrowser } from '../support/browser.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { firstOf, full } from '../support/effort.ts';

const pictures = join(packageRoot, 'examples', 'pictures');
const catalog = readFileSync(join(packageRoot, 'examples', 'catalog.json'), 'utf8');

describe.skipIf(browserPath === null)(`GraphiQL in a browser${whyNoBrowser}`, { timeout: 300_000 }, () => {
  let world: World;
  let browser: Browser;
  let client: Client;
  withBrowser.beforeAll(async ({ enterBrowser }) => {
    world = await openWorld({ mediaRoots: [pictures] });
    client = await world.client();
    await client.write('POST', '/imgs', catalog);
    browser = await enterBrowser();
  });
  afterAll(() => world?.close());

  async function open(size?: { width: number; height: number }) {
    const { page, faults } = await openPage(browser, size);
    await page.goto(`${world.url}/graphql`);
    await page.locator('.graphiql-execute-button').waitFor();
    return { page, faults };
  }

  /** Gives the key as someone does who pastes it. */
  async function giveKey(page: Page) {
    await page.fill('#api-key', client.key);
    await page.click('#access button');
    await page.getByText('admin of').waitFor();
  }

  /** Runs a tab and returns its last answer, once it holds what is waited for. */
  async function run(page: Page, name: string, awaited: string): Promise<string> {
    await page.locator('.graphiql-tab-button', { hasText: name }).click();
    await page.locator('.graphiql-tab-active', { hasText: name }).waitFor();
    await page.locator('.graphiql-query-editor', { hasText: name }).waitFor();
    const result = page.locator('.result-window');
    // GraphiQL goes on with the name of the last tab's query for a moment, and says so without a request.
    const wrongName = result.getByText('Cannot infer operation');
    await vi.waitFor(
      async () => {
        await page.locator('.graphiql-execute-button[aria-label^="Execute"]').click();
        await result.getByText(awaited).or(wrongName).first().waitFor({ timeout: 10_000 });
        expect(await wrongName.count()).toBe(0);
      },
      { timeout: 60_000, interval: 200 },
    );
    return (await result.textContent()) ?? '';
  }

  it(
    'says that a key is not valid, and runs its examples one after the other with a key that is given once',
    full,
    async () => {
      const { page, faults } = await open();
      await page.fill('#api-key', 'vt_wrong');
      await page.click('#access button');
      await page.getByText('Invalid API key').waitFor();
      expect(await page.locator('#access-state').textContent()).toBe('Invalid API key');
      await giveKey(page);
      const answers = firstOf(3, [
        ['Me', 'imgs:write'],
        ['Formula', 'nagasaki'],
        ['Similarity', 'nagasaki'],
        ['Facets', 'France'],
        ['OnePicture', 'alps'],
        ['Store', 'numGood'],
        ['Follow', 'operationProgress'],
        ['Operations', 'isFinished'],
      ] as const);
      for (const [name, awaited] of answers) {
        const answer = await run(page, name, awaited);
        // Numbers of operations cannot be guessed, so the one of this example is to be filled in.
        expect(/^\{\s*"errors"|"data":\s*null/.test(answer), `${name}: ${answer}`).toBe(name === 'Follow');
      }
      // The browser counts a refusal as a fault of the page, and the subscription is refused.
      expect(faults.filter((fault) => !fault.startsWith('Failed to load resource'))).toEqual([]);
      await page.context().close();
    },
  );

  it('keeps the key for its browser tab after a reload, and for no other one', full, async () => {
    const { page } = await open();
    await giveKey(page);
    await page.reload();
    await page.getByText('admin of').waitFor();
    const stored = await page.evaluate('JSON.stringify(localStorage)');
    expect(stored).not.toContain(client.key);
    const other = await page.context().newPage();
    await other.goto(`${world.url}/graphql`);
    await other.getByText('it stays in this tab').waitFor();
    expect(await other.inputValue('#api-key')).toBe('');
    await page.context().close();
  });

  it('shows question and answer one above the other at 400 pixels', full, async () => {
    const { page } = await open({ width: 400, height: 800 });
    await giveKey(page);
    await run(page, 'Me', 'imgs:write');
    const [searchQuery, answer] = [page.locator('.graphiql-editors'), page.locator('.graphiql-response')];
    const [above, below] = [await searchQuery.boundingBox(), await answer.boundingBox()];
    expect(above?.width).toBeGreaterThan(350);
    expect(below?.width).toBeGreaterThan(350);
    expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
    expect((below?.y ?? 0) + (below?.height ?? 0)).toBeLessThanOrEqual(800);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
    await page.context().close();
  });
});
