import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { listLimits } from '../../src/catalog/fields.ts';
import { maxElements } from '../../src/operations/index.ts';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

describe.skipIf(browserPath === null)(
  `Editing many records in the console${whyNoBrowser}`,
  { tags: ['browser'] },
  () => {
    let stage: Stage;
    let before: Record<string, Record<string, unknown>>;
    withStages.beforeAll(async ({ openStage }) => {
      stage = await openStage();
    });
    afterAll(() => stage?.close());
    beforeEach(async () => void (before = await readAll()));

    async function readAll(): Promise<typeof before> {
      const { body } = await stage.client.rest(
        'GET',
        '/imgs?fields=image_id&fields=keywords&fields=city&fields=status',
      );
      return Object.fromEntries(body.results.map((row: { image_id: string }) => [row.image_id, row]));
    }

    const select = (page: Page, id: string) =>
      page.locator('.result', { has: page.locator(`[data-id="${id}"]`) }).getByRole('checkbox');
    const colorOf = (box: Locator) => box.evaluate((element: any) => getComputedStyle(element).backgroundColor);
    const keywordsOf = async (id: string) => (await readAll())[id]?.['keywords'] as string[];

    it('adds a keyword to those that are selected, shows it first, and takes it back by Ctrl+Z', async () => {
      const { page, faults, close } = await stage.open();
      await select(page, 'nagasaki').click();
      await select(page, 'dust-bowl').click();
      await page.getByText('2 selected').waitFor();
      // The pointer is over the second one.
      for (const id of ['nagasaki', 'dust-bowl']) expect(await colorOf(select(page, id)), id).toBe('rgb(47, 82, 199)');
      await page.getByRole('button', { name: 'Edit …' }).click();
      await page.getByLabel('Field', { exact: true }).selectOption('keywords');
      await page.getByLabel('Keyword', { exact: true }).fill('history, loan');
      await page.getByRole('button', { name: 'Preview changes' }).click();
      await page.getByText('2 records will change.').waitFor();
      await page.locator('dialog ins', { hasText: 'history, loan' }).first().waitFor();
      expect(await readAll()).toEqual(before);
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('2 records were changed.').waitFor();
      expect((await keywordsOf('nagasaki')).slice(-2)).toEqual(['history', 'loan']);
      await page.keyboard.press('Control+z');
      await expect.poll(readAll).toEqual(before);
      expect(faults).toEqual([]);
      await close();
    });

    it('takes a completion that contains a comma as one value', async () => {
      await stage.client.write('PATCH', '/imgs/alps', { keywords: ['Bern, Switzerland'] });
      const { page, close } = await stage.open('/app/?q=id:alps');
      await select(page, 'alps').click();
      await page.getByRole('button', { name: 'Edit …' }).click();
      await page.getByLabel('Field', { exact: true }).selectOption('keywords');
      const input = page.getByLabel('Keyword', { exact: true });
      await page.locator('option[value="Bern, Switzerland"]').waitFor({ state: 'attached' });
      await input.fill('Bern, Switzerland');
      await page.getByRole('button', { name: 'Remove Bern, Switzerland' }).waitFor();
      expect(await input.inputValue()).toBe('');
      await stage.client.write('PATCH', '/imgs/alps', { keywords: before['alps']?.['keywords'] });
      await close();
    });

    it('says at once that a selection has more records than one write may change', async () => {
      const { page, close } = await stage.open();
      await page.route('**/graphql', (route) => {
        if (route.request().postData()?.includes('query CountImages') !== true) return route.continue();
        return route.fulfill({ json: { data: { images: { count: maxElements + 1 } } } });
      });
      await page.reload();
      await select(page, 'alps').click();
      const bar = page.getByRole('toolbar');
      const said = bar.getByText('At most 10,000 records can be changed at once.');
      expect(await said.count()).toBe(0);
      await bar.getByRole('button', { name: 'Select all 10,001' }).click();
      await said.waitFor();
      for (const name of ['Edit …', 'Delete …', 'Add to collection …'])
        expect(await bar.getByRole('button', { name }).isDisabled(), name).toBe(true);
      expect(await bar.getByRole('button', { name: 'Export …' }).isEnabled()).toBe(true);
      await page.unrouteAll();
      await close();
    });

    it('says what does not fit a field while it is typed', async () => {
      const { page, close } = await stage.open();
      await select(page, 'nagasaki').click();
      await page.getByRole('button', { name: 'Edit …' }).click();
      await page.getByLabel('Field', { exact: true }).selectOption('date');
      const show = page.getByRole('button', { name: 'Preview changes' });
      await page.getByLabel('Date', { exact: true }).fill('last year');
      await page.getByRole('alert').filter({ hasText: 'date' }).waitFor();
      await expect.poll(() => show.isDisabled()).toBe(true);
      await page.getByLabel('Date', { exact: true }).fill('1903-05');
      await page.getByRole('alert').filter({ hasText: 'date' }).waitFor({ state: 'hidden' });
      await expect.poll(() => show.isEnabled()).toBe(true);
      await close();
    });

    it('changes all results of a search, several fields at once, also those that it has not read', async () => {
      const { page, close } = await stage.open('/app/?q=date:..1940&view=list');
      await page.locator('main [data-id]').first().focus();
      await page.keyboard.press('x');
      await page.getByText('1 selected').waitFor();
      await page.getByRole('button', { name: /^Select all \d$/ }).click();
      await page.getByRole('button', { name: 'Edit …' }).click();
      await page.getByLabel('Field', { exact: true }).selectOption('status');
      await page.getByLabel('Status', { exact: true }).fill('archived');
      await page.getByRole('button', { name: 'Add a field' }).click();
      await page.getByLabel('Field', { exact: true }).nth(1).selectOption('city');
      await page.getByLabel('What to do', { exact: true }).nth(1).selectOption('clear');
      await page.getByRole('button', { name: 'Preview changes' }).click();
      await page.getByText(/^\d records will change/).waitFor();
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText(/records were changed/).waitFor();
      const old = (await stage.client.rest('GET', '/imgs?q=date:..1940&fields=status&fields=city')).body.results;
      expect(old.length).toBeGreaterThan(1);
      for (const row of old) expect(row).toMatchObject({ status: 'archived', city: null });
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await expect.poll(readAll).toEqual(before);
      await close();
    });

    it('adds all values that were entered for a list, also in two rows, and offers no other field twice', async () => {
      const { page, close } = await stage.open('/app/?q=country:Japan');
      await page.locator('main [data-id]').first().focus();
      await page.keyboard.press('x');
      await page.getByRole('button', { name: 'Edit …' }).click();
      const fields = page.getByLabel('Field', { exact: true });
      const add = () => page.getByRole('button', { name: 'Add a field' }).click();
      await fields.selectOption('keywords');
      await page.getByLabel('Keyword', { exact: true }).fill('harbor');
      await add();
      await fields.nth(1).selectOption('keywords');
      await page.getByLabel('Keyword', { exact: true }).nth(1).fill('junk');
      await add();
      await fields.nth(2).selectOption('city');
      await page.getByLabel('City', { exact: true }).fill('Kobe');
      await add();
      expect(await fields.nth(3).locator('option[value="city"]').isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Remove this field' }).last().click();
      await page.getByRole('button', { name: 'Preview changes' }).click();
      await page.getByRole('dialog').getByText('harbor, junk').waitFor();
      await close();
    });

    it('deletes after it was shown what is deleted, and brings it back', async () => {
      const { page, close } = await stage.open('/app/?q=country:Japan');
      const counted = page.locator('.explanation .count');
      await counted.getByText('1', { exact: true }).waitFor();
      await select(page, 'nagasaki').click();
      await page.getByRole('button', { name: 'Delete …' }).click();
      await page.getByText('1 record will be deleted').waitFor();
      expect(await readAll()).toEqual(before);
      await page.getByRole('button', { name: 'Delete now' }).click();
      await page.getByText('1 record was deleted.').waitFor();
      expect(await readAll()).not.toHaveProperty('nagasaki');
      await counted.getByText('0', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await expect.poll(readAll).toEqual(before);
      await page.locator('main [data-id="nagasaki"]').waitFor();
      await close();
    });

    it('selects a range with Shift, and nothing after Escape', async () => {
      const { page, close } = await stage.open();
      await page
        .locator('main [data-id]')
        .first()
        .click({ modifiers: ['ControlOrMeta'] });
      await page
        .locator('main [data-id]')
        .nth(3)
        .click({ modifiers: ['Shift'] });
      await page.getByText('4 selected').waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByText(/selected/).count()).toBe(0);
      await close();
    });

    it('changes and deletes a selected range of more records than a formula can name', full, async () => {
      const ids = Array.from({ length: 120 }, (_, at) => `one-of-many-records-with-a-long-name-${at}`);
      const many = ids.map((id) => ({ id, src_path: 'french-alpine-landscape.jpg', event: 'Range' }));
      await stage.client.write('POST', '/imgs?lang=en&on_duplicate=keep', many);
      const { page, close } = await stage.open('/app/?q=event:Range&view=list');
      const rows = page.locator('main [data-id]');
      await rows.first().click({ modifiers: ['ControlOrMeta'] });
      await page.mouse.move(700, 500);
      const end = page.getByText('End of the results');
      await expect.poll(async () => (await page.mouse.wheel(0, 4_000), end.count()), { timeout: 20_000 }).toBe(1);
      await rows.last().click({ modifiers: ['Shift'] });
      await page.getByText('120 selected').waitFor();
      await page.getByRole('button', { name: 'Edit …' }).click();
      await page.getByLabel('Field', { exact: true }).selectOption('city');
      await page.getByLabel('City', { exact: true }).fill('Bern');
      await page.getByRole('button', { name: 'Preview changes' }).click();
      await page.getByText('120 records will change.').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Delete …' }).click();
      await page.getByText('120 records will be deleted.').waitFor();
      await page.getByRole('button', { name: 'Delete now' }).click();
      await page.getByText('120 records were deleted.').waitFor();
      await close();
    });

    it('says why a value is refused before anything is stored', async () => {
      const { page, close } = await stage.open();
      await select(page, 'nagasaki').click();
      await page.getByRole('button', { name: 'Edit …' }).click();
      await page.getByLabel('Field', { exact: true }).selectOption('keywords');
      // As many as a list may have, beside those that it has already.
      const many = Array.from({ length: listLimits.elements }, (_, at) => `new ${at}`);
      await page.getByLabel('Keyword', { exact: true }).fill(many.join(', '));
      await page.getByRole('button', { name: 'Preview changes' }).click();
      await page.locator('dialog li', { hasText: /keywords/i }).waitFor();
      expect(await page.getByRole('button', { name: 'Apply' }).count()).toBe(0);
      expect(await readAll()).toEqual(before);
      await close();
    });

    it('says which records could not be changed, and why, and shows them', async () => {
      const full = Array.from({ length: listLimits.elements }, (_, at) => `old ${at}`);
      await stage.client.write('PATCH', '/imgs/nagasaki', { keywords: full });
      const { page, close } = await stage.open();
      await select(page, 'nagasaki').click();
      await select(page, 'alps').click();
      await page.getByRole('button', { name: 'Edit …' }).click();
      await page.getByLabel('Field', { exact: true }).selectOption('keywords');
      await page.getByLabel('Keyword', { exact: true }).fill('another');
      await page.getByRole('button', { name: 'Preview changes' }).click();
      await page.getByRole('dialog').getByText('1 × keywords would have').waitFor();
      await page.getByRole('button', { name: 'Apply' }).click();
      const said = page.locator('.toast');
      await said.getByText('1 record was changed. 1 failed').waitFor();
      await said.getByText('keywords would have').waitFor();
      await said.getByRole('link', { name: 'Show them' }).click();
      await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('id:nagasaki');
      await said.getByRole('button', { name: 'Undo' }).click();
      await stage.client.write('PATCH', '/imgs/nagasaki', { keywords: before['nagasaki']?.['keywords'] });
      await expect.poll(readAll).toEqual(before);
      await close();
    });

    it('lets a viewer select, but change nothing', async () => {
      const viewer = await stage.world.client({ role: 'viewer', tenant: stage.tenant });
      const { page, close } = await stage.open('/app/', { key: viewer.key });
      await select(page, 'nagasaki').click();
      await page.getByText('1 selected').waitFor();
      expect(await page.getByRole('button', { name: 'Edit …' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Delete …' }).count()).toBe(0);
      await close();
    });
  },
);
