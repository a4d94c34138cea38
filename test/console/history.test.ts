import { afterAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

const scrollOf = (page: Page) => page.evaluate('document.querySelector("main").scrollTop') as Promise<number>;

describe.skipIf(browserPath === null)(`The history of the console${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage();
    const many = Array.from({ length: 150 }, (_, at) => ({ id: `h-${at}`, src_path: 'nagasaki-boats.jpg' }));
    await stage.client.write('POST', '/imgs?lang=en', many);
  });
  afterAll(() => stage?.close());

  it('leads back to where results were left, with what was selected, also after a reload', full, async () => {
    const { page, close } = await stage.open('/app/?view=list');
    await page.getByText('156 pictures').waitFor();
    await page.locator('main [role="checkbox"]').first().click();
    await page.mouse.move(700, 500);
    for (let at = 0; at < 12; at += 1) {
      await page.mouse.wheel(0, 500);
      await page.waitForTimeout(60);
    }
    await expect.poll(() => page.evaluate('history.state?.scroll ?? 0')).toBeGreaterThan(4_500);
    const left = await scrollOf(page);
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.getByRole('heading', { name: 'Operations' }).waitFor();
    await page.goBack();
    await expect.poll(() => scrollOf(page)).toBe(left);
    await page.getByText('1 selected').waitFor();
    await page.reload();
    await expect.poll(() => scrollOf(page)).toBe(left);
    await page.getByRole('link', { name: 'Videos' }).click();
    await page.getByText('No videos yet').waitFor();
    await page.goBack();
    await expect.poll(() => scrollOf(page)).toBe(left);
    await close();
  });

  it('goes on from a picture that was opened by a link, however many results come before it', async () => {
    const { data } = await stage.client.graphql(
      '{ images(q: "id:h*", limit: 200, sortBy: title) { results { imageId } } }',
    );
    const ids = data.images.results.map(({ imageId }: { imageId: string }) => imageId);
    const { page, faults, close } = await stage.open(`/app/?q=id:h*&sort=title&open=${ids[100]}`);
    const side = (name: string) => page.getByRole('dialog').getByRole('button', { name, disabled: false });
    const opened = () => new URL(page.url()).searchParams.get('open');
    await side('Previous').click();
    await expect.poll(opened).toBe(ids[99]);
    for (const id of ids.slice(100, 102)) {
      await side('Next').click();
      await expect.poll(opened).toBe(id);
    }
    await page.goto(`${stage.world.url}/app/?q=id:h*&sort=title&open=alps`);
    await page.getByRole('dialog').getByRole('heading', { name: 'Alpine landscape' }).first().waitFor();
    for (const name of ['Previous', 'Next']) expect(await side(name).count(), name).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('does not open a picture again that was closed', async () => {
    const { page, close } = await stage.open();
    await page.locator('main [data-id]').first().waitFor();
    await page.goto(`${stage.world.url}/app/?q=country:Japan`);
    await page.locator('main [data-id]').click();
    const picture = page.getByRole('dialog');
    await picture.waitFor();
    await page.reload();
    await picture.getByRole('heading').first().waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await picture.waitFor({ state: 'detached' });
    await expect.poll(() => new URL(page.url()).search).toBe('?q=country:Japan');
    await page.goBack();
    await page.getByText('156 pictures').waitFor();
    await page.goForward();
    await page.goForward();
    await picture.waitFor();
    await close();
  });

  it('names the search, the record, the operation and the part of the administration in titles', async () => {
    const { page, close } = await stage.open('/app/?q=country:Japan');
    await expect.poll(() => page.title()).toBe('country:Japan · Vitrine');
    await page.locator('main [data-id="nagasaki"]').click();
    await expect.poll(() => page.title()).toBe('Boats in a river, Nagasaki · Vitrine');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.title()).toBe('country:Japan · Vitrine');
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.locator('main li a').first().click();
    await expect.poll(() => page.title()).toMatch(/^Operation \d+ · Vitrine$/);
    await page.goto(`${stage.world.url}/app/?page=admin&tab=audit`);
    await expect.poll(() => page.title()).toBe('Audit trail · Administration · Vitrine');
    await close();
  });

  it('says which order results have, and reverses it', async () => {
    const { page, close } = await stage.open();
    const chosen = () => page.getByLabel('Sort by').locator('option:checked').textContent();
    expect(await chosen()).toBe('Newest first');
    await page.getByRole('button', { name: 'Descending. Reverse the order' }).click();
    await expect.poll(chosen).toBe('Oldest first');
    await page.getByRole('button', { name: 'Ascending. Reverse the order' }).waitFor();
    await close();
  });

  it('shows texts from right to left where they are, and breaks long ids', full, async () => {
    const own = await stage.world.client();
    const id = `x${'y'.repeat(180)}`;
    const record = { id, src_path: 'nagasaki-boats.jpg', title: 'قوارب في النهر', caption: 'سفن: 3 boats' };
    await own.write('POST', '/imgs?lang=en', [record]);
    const { page, close } = await stage.open(`/app/?open=${id}`, { key: own.key });
    const heading = page.getByRole('dialog').getByRole('heading', { name: record.title }).last();
    const directionOf = (css: string) => page.evaluate(`getComputedStyle(document.querySelector('${css}')).direction`);
    await heading.waitFor();
    expect(await directionOf('dialog aside h2')).toBe('rtl');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Details' }).first().waitFor();
    await expect
      .poll(() => page.evaluate('document.querySelector("dialog aside").scrollWidth'))
      .toBeLessThanOrEqual(390);
    await close();
  });
});
