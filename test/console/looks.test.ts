import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { openStage } from './support.ts';
import type { Stage } from './support.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe.skipIf(browserPath === null)(`What the console looks like${whyNoBrowser}`, { timeout: 300_000 }, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
    await stage.client.write('POST', '/vids?lang=en', [{ id: 'pan', src_path: 'nagasaki-pan.mp4', title: 'A pan' }]);
  });
  afterAll(() => stage?.close());

  /** What breaks a rule of accessibility. The policy of the page lets no script in, so it is evaluated. */
  async function violationsOf(page: Page): Promise<unknown> {
    await page.evaluate(axe);
    return page.evaluate(
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
        violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))]))`,
    );
  }

  const states = [
    ['sign-in', '/app/', (page: Page) => page.getByLabel('API key').waitFor()],
    ['the grid', '/app/', (page: Page) => page.locator('main [data-id]').first().waitFor()],
    ['the list', '/app/?view=list', (page: Page) => page.locator('main [data-id]').first().waitFor()],
    ['a search', '/app/?q=country:Japan', (page: Page) => page.getByText('1 picture').waitFor()],
    ['a mistake', '/app/?q=contry:x', (page: Page) => page.getByText('Did you mean country?').first().waitFor()],
    ['nothing found', '/app/?q=zebra', (page: Page) => page.getByText('Nothing is found').waitFor()],
    ['a picture', '/app/?open=nagasaki', (page: Page) => page.getByRole('dialog').locator('.frame > .sheet').waitFor()],
    ['videos', '/app/?kind=video', (page: Page) => page.locator('main [data-id]').first().waitFor()],
  ] as const;

  for (const dark of [false, true]) {
    it.each(states)(`breaks no rule of accessibility: %s, ${dark ? 'dark' : 'light'}`, async (name, path, ready) => {
      const key = name === 'sign-in' ? { key: null } : {};
      const { page, faults, close } = await stage.open(path, { ...key, dark });
      await ready(page);
      expect(await violationsOf(page)).toEqual([]);
      expect(faults.filter((fault) => name !== 'a mistake' || !fault.includes('400'))).toEqual([]);
      await close();
    });
  }

  it.each(states)('fits 360 pixels: %s', async (name, path, ready) => {
    const { page, close } = await stage.open(path, {
      ...(name === 'sign-in' && { key: null }),
      width: 360,
      height: 740,
    });
    await ready(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await close();
  });

  it('speaks Spanish where that is chosen, the names of fields too', async () => {
    const { page, close } = await stage.open();
    await page.getByRole('button', { name: 'Account and settings' }).click();
    await page.getByLabel('Language').selectOption('es');
    await page.getByText('6 imágenes').waitFor();
    await page.locator('summary', { hasText: 'País' }).waitFor();
    await page.goto(`${stage.world.url}/app/?q=country:Japan`);
    await page.getByText('Imágenes que').waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('es');
    await close();
  });

  it('shows no action that the role does not allow', async () => {
    const viewer = await stage.world.client({ role: 'viewer', tenant: 'tenant-1' });
    const { page, close } = await stage.open('/app/?q=country:Japan', { key: viewer.key });
    await page.getByRole('button', { name: 'Recent, Saved' }).click();
    await page.getByRole('heading', { name: 'Recent' }).waitFor();
    expect(await page.getByLabel('Name of the saved search').count()).toBe(0);
    await close();
  });

  it('sends 250 kB of JavaScript at most before it can be used', async () => {
    const { page, close } = await stage.open('/app/');
    await page.locator('main [data-id]').first().waitFor();
    const bytes = await page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    );
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(250 * 1024);
    await close();
  });

  it('imports the examples into an empty catalog by one button', async () => {
    const empty = await stage.world.client();
    const { page, close } = await stage.open('/app/', { key: empty.key });
    await page.getByRole('button', { name: 'Import the examples' }).click();
    await page.getByText('6 pictures').waitFor();
    expect(await page.locator('main [data-id]').count()).toBe(6);
    await close();
  });
});
