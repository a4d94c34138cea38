import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { listLimits } from '../../src/catalog/fields.ts';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { withStages } from './support.ts';
import type { Stage } from './support.ts';

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
    const keywordsOf = async (id: string) => (await readAll())[id]?.['keywords'] as string[];

    it('adds a keyword to those that are selected, shows it first, and takes it back by Ctrl+Z', async () => {
      const { page, faults, close } = await stage.open();
      await select(page, 'nagasaki').click();
      await select(page, 'dust-bowl').click();
      await page.getByText('2 selected').waitFor();
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
