import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { violationsOf, withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

const path = '/app/?page=admin&tab=system';

describe.skipIf(browserPath === null)(`The system page of the console${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  let operator: string;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage();
    operator = (await stage.world.client({ tenant: 'default' })).key;
  });
  afterAll(() => stage?.close());

  it('shows the work of the tenant in charts with words, which follow what happens, and the limits', full, async () => {
    const { page, faults, close } = await stage.open();
    await page.getByRole('link', { name: 'Administration' }).click();
    await page.getByRole('link', { name: 'System' }).click();
    await page.getByText('This tenant. Charts start').waitFor();
    await page.getByText('1 worker running').waitFor();
    const stored = page.getByRole('img', { name: /^Stored per second: .*highest (?:[1-9]|0\.\d*[1-9])/ });
    expect(await stored.count()).toBe(0);
    await stage.world.picture('new.png');
    expect(await stage.client.write('POST', '/imgs/new', { src_path: 'new.png' })).toMatchObject({ num_good: 1 });
    await stored.waitFor().catch(async (error: Error) => {
      throw new Error(`${error.message}\n${await page.locator('main').ariaSnapshot()}`);
    });
    await page.getByText('Images', { exact: true }).waitFor();
    const limits = page.getByRole('region', { name: 'Limits' });
    await limits.getByText('6 no limit').waitFor();
    await limits.getByText('0 of 1,000').first().waitFor();
    expect(await page.getByRole('region', { name: 'Checks' }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('shows who runs the service the work of all tenants and what the doctor finds', full, async () => {
    const { page, faults, close } = await stage.open(path, { key: operator });
    await page.getByText('All tenants. Charts start').waitFor();
    const checks = page.getByRole('region', { name: 'Checks' });
    await checks.getByText(/^PostgreSQL \d+/).waitFor();
    await checks.getByRole('button', { name: 'Check again' }).click();
    await checks.getByText('1 worker running, queue empty').waitFor();
    await checks.getByRole('button', { name: 'Check again', disabled: false }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('says in Spanish what the doctor finds', async () => {
    const { page, close } = await stage.open(path, { key: operator });
    await page.getByRole('button', { name: 'Account and settings' }).click();
    await page.getByLabel('Language').selectOption('es');
    const checks = page.getByRole('region', { name: 'Comprobaciones' });
    for (const said of [/base de datos PostgreSQL .* conexiones en uso/, /GiB libres en/, /se puede leer /])
      await checks.getByRole('listitem').filter({ hasText: said }).first().waitFor();
    expect(await checks.getByText('PostgreSQL searches').count()).toBe(0);
    await page.getByRole('region', { name: 'Límites' }).getByText('Imágenes').waitFor();
    await close();
  });

  it('asks for nothing while it waits for a new session, and then goes on', full, async () => {
    const { page, close } = await stage.open(path);
    await page.getByText('This tenant. Charts start').waitFor();
    await page.context().clearCookies();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    let asked = 0;
    page.on('request', (request) => (asked += Number(request.postData()?.includes('SampleTenant') ?? false)));
    await page.waitForTimeout(7_000);
    expect(asked).toBe(0);
    await dialog.getByLabel('API key').fill(stage.client.key);
    await dialog.getByLabel('API key').press('Enter');
    await expect.poll(() => asked, { timeout: 10_000 }).toBeGreaterThan(1);
    await close();
  });

  it('sends who runs the service a backup, and nobody else', async () => {
    const { page, faults, close } = await stage.open(path, { key: operator });
    await page.getByText('there is nothing to rebuild').waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download a backup' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^vitrine-.*\.tar\.gz$/);
    const bytes = readFileSync(await download.path());
    expect(gunzipSync(bytes).toString('latin1')).toContain('signature.json');
    expect(faults).toEqual([]);
    await close();
    const visit = await stage.open(path);
    await visit.page.getByRole('region', { name: 'Limits' }).waitFor();
    expect(await visit.page.getByRole('link', { name: 'Download a backup' }).count()).toBe(0);
    await visit.close();
  });

  it('fits a phone', full, async () => {
    const { page, close } = await stage.open('/app/', { key: operator });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(stage.world.url + path);
    await page.getByText(/^PostgreSQL \d+/).waitFor();
    const overflow =
      'document.documentElement.scrollWidth - innerWidth + ' +
      'document.querySelector("main").scrollWidth - document.querySelector("main").clientWidth';
    expect(await page.evaluate(overflow)).toBe(0);
    expect(await violationsOf(page)).toEqual([]);

    await close();
  });
});
