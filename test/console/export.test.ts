import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { violationsOf, withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

describe.skipIf(browserPath === null)(`Exports in the console${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  const select = (page: Page, id: string) =>
    page.locator('.result', { has: page.locator(`[data-id="${id}"]`) }).getByRole('checkbox');

  /** What the link of a finished export gives. */
  async function downloaded(page: Page): Promise<Readonly<{ name: string; bytes: Buffer }>> {
    const link = page.getByRole('link', { name: /^Download / });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  }

  it('write what is selected into a file, with the fields that were chosen', async () => {
    const { page, faults, close } = await stage.open();
    await select(page, 'nagasaki').click();
    await select(page, 'dust-bowl').click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Export …' }).click();
    await page.getByRole('heading', { name: 'Export 2 records' }).waitFor();
    await page.getByRole('radio', { name: 'Chosen fields' }).click();
    await page.getByRole('checkbox', { name: 'Country', exact: true }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText('2 records were exported.').waitFor();
    const { name, bytes } = await downloaded(page);
    expect(name).toMatch(/^images-\d+\.csv$/);
    const lines = bytes.toString().split('\r\n');
    expect(lines[0]).toBe('id,title,country,keywords');
    expect(lines.slice(1, 3).map((line) => line.split(',')[0])).toEqual(['nagasaki', 'dust-bowl']);
    expect(faults).toEqual([]);
    await close();
  });

  it('write all results of a search as a ZIP, which the page of operations has, too', full, async () => {
    const { page, close } = await stage.open('/app/?q=date:..1940');
    await page.getByRole('button', { name: 'Export …' }).click();
    await page.getByRole('radio', { name: /^ZIP/ }).click();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText(/records were exported/).waitFor();
    const first = await downloaded(page);
    expect(first.bytes.toString('latin1', 0, 2)).toBe('PK');
    const id = /\d+/.exec(first.name)?.[0];
    await page.goto(`${stage.world.url}/app/?page=operations&operation=${id}`);
    await page.getByRole('heading', { name: /^Export \d pictures$/ }).waitFor();
    expect((await downloaded(page)).bytes.equals(first.bytes)).toBe(true);
    expect(await page.getByRole('button', { name: 'Undo …' }).count()).toBe(0);
    await close();
  });

  it('say why nothing can be exported', async () => {
    await stage.client.write('POST', '/imgs/passing?lang=en', { src_path: 'dust-bowl-home.jpg', title: 'Passing' });
    const { page, close } = await stage.open('/app/?q=id:passing');
    await page.getByRole('button', { name: 'Export …' }).click();
    await stage.client.write('DELETE', '/imgs/passing');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const alert = page.getByRole('dialog').getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('The formula finds no image');
    await close();
  });

  it.each(['id:nothing-at-all', 'width:'])('are not offered for what finds nothing: %s', async (q) => {
    const { page, close } = await stage.open(`/app/?q=${q}`);
    await page.locator('main .notice').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Export …' }).isDisabled()).toBe(true);
    await close();
  });

  it('are not offered to who may not', async () => {
    const { key } = await stage.world.client({ tenant: stage.tenant, role: 'tagger' });
    const { page, close } = await stage.open('/app/', { key });
    await page.locator('main [data-id]').first().waitFor();
    expect(await page.getByRole('button', { name: 'Export …' }).count()).toBe(0);
    await close();
  });
});
