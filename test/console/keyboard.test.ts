import { afterAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

/** What has the focus: its name, else its text, else its id. */
const focused = (page: Page) =>
  page.evaluate(`(({ ariaLabel, textContent, id, dataset, tagName }) =>
    dataset.id ?? ariaLabel ?? (tagName === 'MAIN' ? id : textContent.trim()))(document.activeElement)`);

describe.skipIf(browserPath === null)(`The console by keyboard${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  it('goes from the search box to the first result by the arrow down, past all filters', async () => {
    const { page, close } = await stage.open();
    const first = page.locator('main [data-id]').first();
    await first.waitFor();
    await page.keyboard.press('/');
    await page.locator('.cm-editor.cm-focused').waitFor();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => first.evaluate((each) => each.ownerDocument.activeElement === each)).toBe(true);
    await close();
  });

  it('types into the search box, whatever its keys do elsewhere', async () => {
    const { page, close } = await stage.open('/app/?q=id:nagasaki');
    await page.locator('main').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Edit …' }).click();
    await page.getByLabel('Field', { exact: true }).selectOption('city');
    await page.getByRole('combobox', { name: 'City' }).fill('Typed');
    await page.getByRole('button', { name: 'Preview changes' }).click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('1 record was changed.').waitFor();
    await page.locator('main').getByRole('checkbox').check();
    await page.keyboard.press('/');
    await page.locator('.cm-editor.cm-focused').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type('x');
    await page.keyboard.press('Control+z');
    expect(await page.getByText('1 selected').count()).toBe(1);
    expect(await page.getByText('1 record was changed.').count()).toBe(1);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('1 record was changed.').waitFor({ state: 'hidden' });
    await close();
  });

  it('goes on from the results after a dialog that ends with what had opened it', full, async () => {
    const { page, faults, close } = await stage.open();
    await page.locator('main [data-id]').first().focus();
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Delete …' }).press('Enter');
    await page.getByRole('button', { name: 'Delete now' }).press('Enter');
    await page.getByText('1 record was deleted.').waitFor();
    await expect.poll(() => focused(page)).toBe('results');
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByText('1 record was deleted.').waitFor({ state: 'hidden' });
    await expect.poll(() => focused(page)).toBe('results');
    expect(faults).toEqual([]);
    await close();
  });

  it('stays at a button that is disabled while it waits, and goes on to what takes its place', async () => {
    const { page, close } = await stage.open();
    await page.locator('main [data-id]').first().focus();
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Edit …' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Field', { exact: true }).selectOption({ label: 'City' });
    await dialog.getByRole('combobox', { name: 'City' }).fill('Nowhere');
    await dialog.getByRole('button', { name: 'Preview changes' }).press('Enter');
    await expect.poll(() => focused(page)).toBe('Apply');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('Edit …');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('toolbar').count()).toBe(0);
    await expect.poll(() => page.evaluate('document.activeElement.dataset.id')).toBeTruthy();
    await close();
  });

  it('leaves a changed field for the next one, though what it changed is read meanwhile', async () => {
    const { page, close } = await stage.open('/app/?q=date:1860..1869');
    const [from, to] = [page.getByLabel('From year'), page.getByLabel('To year')];
    await expect.poll(() => to.inputValue()).toBe('1869');
    await from.click({ clickCount: 3 });
    await page.keyboard.press('Delete');
    await page.keyboard.press('Tab');
    await page.keyboard.type('1900');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('date:..1900');

    await to.click({ clickCount: 3 });
    await page.keyboard.type('1910');
    await from.click();
    await page.keyboard.type('1860');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('date:1860..1910');
    await close();
  });

  it('types the new name at once, and asks before it deletes', async () => {
    await stage.client.graphql('mutation { createCollection(name: "Harbors") { name } }');
    const { page, close } = await stage.open('/app/?page=collections');
    await page.getByRole('button', { name: 'Rename' }).press('Enter');
    await expect.poll(() => focused(page)).toBe('New name');
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await expect.poll(() => focused(page)).toBe('Rename …');
    await page.getByRole('button', { name: 'Delete' }).press('Enter');
    await expect.poll(() => focused(page)).toBe('Cancel');
    await close();
  });

  it('returns to the result whose picture was closed, and closes a menu before the picture', async () => {
    const { page, close } = await stage.open();
    const tile = page.locator('main [data-id="alps"]');
    await tile.press('Enter');
    const copy = page.getByRole('dialog').getByRole('button', { name: 'Copy as' });
    await copy.press('Enter');
    await page.keyboard.press('Escape');
    expect(await focused(page)).toBe('Copy as');
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('alps');
    await close();
  });

  it('opens the filters of a phone, and closes them by Escape', async () => {
    const { page, close } = await stage.open();
    await page.setViewportSize({ width: 390, height: 844 });
    const button = page.locator('header').getByRole('button', { name: 'Filters' });
    await button.press('Enter');
    await expect.poll(() => focused(page)).toBe('Close');
    await page.keyboard.press('Escape');
    await expect.poll(() => button.getAttribute('aria-expanded')).toBe('false');
    expect(await focused(page)).toBe('Filters');
    await close();
  });
});
