import { afterAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { withStages } from './support.ts';
import type { Stage } from './support.ts';

describe.skipIf(browserPath === null)(`Facets of the console${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage(['colors']);
  }, 300_000);
  afterAll(() => stage?.close());

  const formulaOf = (page: Page) => new URL(page.url()).searchParams.get('q') ?? '';
  const shown = (page: Page) => page.locator('main [data-id]').count();

  it('count values, take several of them, and exclude', async () => {
    const { page, faults, close } = await stage.open();
    await page.getByRole('button', { name: 'Japan 1, Country' }).click();
    await expect.poll(() => formulaOf(page)).toBe('country:Japan');
    await page.getByRole('button', { name: 'France 1, Country' }).click();
    await expect.poll(() => formulaOf(page)).toBe('country:Japan,France');
    await expect.poll(() => shown(page)).toBe(2);
    await page.getByRole('button', { name: 'Exclude Japan, Country' }).click();
    await expect.poll(() => formulaOf(page)).toBe('country:France -country:Japan');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await expect.poll(() => shown(page)).toBe(6);
    expect(faults).toEqual([]);
    await close();
  });

  it('say that they are being counted while that takes long', async () => {
    const { page, close } = await stage.open();
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('query ImageFacets(') === true) await held;
      await route.continue();
    });
    await page.reload();
    const said = page.getByRole('complementary', { name: 'Filters' }).getByRole('status');
    await said.getByText('Counting…').waitFor();
    answer();
    await page.getByRole('button', { name: 'Japan 1, Country' }).waitFor();
    expect(await said.count()).toBe(0);
    await page.unrouteAll();
    await close();
  });

  it('leave what was written as it is', async () => {
    const { page, close } = await stage.open('/app/?q=house OR field');
    await page.getByRole('button', { name: /^United States \d, Country/ }).click();
    await expect.poll(() => formulaOf(page)).toBe('(house OR field) country:"United States"');
    await expect.poll(() => page.locator('main [data-id="dust-bowl"]').count()).toBe(1);
    await close();
  });

  it('are added to what stands in the search box, though nobody has sent it', async () => {
    const { page, close } = await stage.open();
    await page.locator('search .cm-content').fill('house');
    await page.getByRole('button', { name: /^United States \d, Country/ }).click();
    await expect.poll(() => formulaOf(page)).toBe('house country:"United States"');
    await close();
  });

  it('are left on a phone by a tap beside them', async () => {
    const { page, close } = await stage.open();
    await page.setViewportSize({ width: 400, height: 800 });
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    const filters = page.getByRole('heading', { name: 'Filters' });
    await filters.waitFor();
    await page.mouse.click(390, 400);
    await filters.waitFor({ state: 'hidden' });
    expect(await filters.isHidden()).toBe(true);
    await page.setViewportSize({ width: 1280, height: 900 });
    await close();
  });

  it('show in forced colors what is chosen, and the colors of pictures', async () => {
    const { page, close } = await stage.open();
    await page.emulateMedia({ forcedColors: 'active' });
    const styleOf = (css: string, name: string) =>
      page
        .locator(css)
        .first()
        .evaluate(
          (element, of) => element.ownerDocument.defaultView?.getComputedStyle(element).getPropertyValue(of),
          name,
        );
    const mark = 'aside [aria-label="Japan 1, Country"] .mark svg';
    expect(await styleOf(mark, 'visibility')).toBe('hidden');
    await page.getByRole('button', { name: 'Japan 1, Country' }).click();
    await expect.poll(() => styleOf(mark, 'visibility')).toBe('visible');
    expect(await styleOf('.swatches button', 'forced-color-adjust')).toBe('none');
    await page.emulateMedia({ forcedColors: 'none' });
    await close();
  });

  it('narrow by years, of which bars show how many there are', async () => {
    const { page, close } = await stage.open();
    await page.getByRole('button', { name: /^186\d.*: 2$/ }).click();
    await expect.poll(() => shown(page)).toBe(2);
    await page.getByLabel('From year').fill('');
    await page.getByLabel('To year').fill('19th century');
    await page.getByLabel('To year').press('Enter');
    await page.getByText('Enter a year, such as 1920.').waitFor();
    await page.getByLabel('To year').fill('1900');
    await page.getByLabel('To year').press('Enter');
    await expect.poll(() => formulaOf(page)).toMatch(/^date:/);
    await expect.poll(() => shown(page)).toBe(3);
    await close();
  });

  it('narrow by color swatches', async () => {
    const { page, close } = await stage.open();
    const swatch = page.getByRole('button', { name: /^gray: \d$/ });
    const count = Number((await swatch.getAttribute('aria-label'))?.split(': ')[1]);
    await swatch.click();
    await expect.poll(() => formulaOf(page)).toBe('color:gray');
    await expect.poll(() => shown(page)).toBe(count);
    await close();
  });
});
