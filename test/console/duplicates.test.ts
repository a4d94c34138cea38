import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { pictures, violationsOf, withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

describe.skipIf(browserPath === null)(`Duplicates in the console${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage();
    await sharp(join(pictures, 'nagasaki-boats.jpg')).resize(400).png().toFile(join(stage.world.media, 'small.png'));
    await sharp(join(pictures, 'nagasaki-boats.jpg')).webp().toFile(join(stage.world.media, 'boats.webp'));
    await stage.client.write('DELETE', '/imgs?q=*');
    await stage.client.write('POST', '/imgs?lang=en&on_duplicate=flag', [
      { id: 'boats', src_path: 'nagasaki-boats.jpg', title: 'Boats', date: '1890', keywords: ['boat'] },
      {
        id: 'boats-small',
        src_path: 'small.png',
        title: 'Boats, small',
        caption: 'Nagasaki harbor',
        keywords: ['sea'],
      },
      { id: 'boats-webp', src_path: 'boats.webp', title: 'Boats', date: '1891' },
      { id: 'cat', src_path: 'locomotion-house-cat.jpg', title: 'Cat' },
      { id: 'cat-copy', src_path: 'locomotion-house-cat.jpg', title: 'Cat', city: 'Paris' },
    ]);
  });
  afterAll(() => stage?.close());
  beforeEach(async () => void (await stage.client.write('POST', '/duplicates')));

  const cell = (page: Page, row: string, at: number) =>
    page
      .locator('tr', { has: page.locator('th[scope="row"]', { hasText: new RegExp(`^${row}$`) }) })
      .locator('td')
      .nth(at);
  const verdicts = async () =>
    (await stage.client.rest('GET', '/verdicts')).body.results.map((each: Record<string, string>) => [
      each['first_id'],
      each['second_id'],
      each['verdict'],
    ]);
  const withdrawAll = async () => {
    for (const [first, second] of await verdicts()) await stage.client.rest('DELETE', `/verdicts/${first}/${second}`);
  };
  const ids = async () =>
    (await stage.client.rest('GET', '/imgs?fields=image_id')).body.results
      .map((row: Record<string, string>) => row['image_id'])
      .toSorted();

  it('are looked for from the page, which then shows what differs in a group', full, async () => {
    const other = await stage.world.client({ tenant: 'elsewhere' });
    await other.write('POST', '/imgs?lang=en&on_duplicate=flag', [
      { id: 'one', src_path: 'small.png', title: 'One' },
      { id: 'two', src_path: 'small.png', title: 'Two' },
    ]);
    const { page, faults, close } = await stage.open('/app/', { key: other.key });
    await page.getByRole('link', { name: 'Duplicates' }).click();
    await page.getByText('No duplicate search yet').waitFor();
    await page.getByRole('button', { name: 'Find duplicates' }).click();
    await page.getByText('0 of 1 reviewed').waitFor();
    await cell(page, 'Title', 1).locator('mark', { hasText: 'Two' }).waitFor();
    expect(await cell(page, 'Size', 1).locator('mark').count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('are shown with their differences of size, format, date and fields from a reference, which is chosen', async () => {
    const { page, faults, close } = await stage.open('/app/?page=duplicates');
    await page.getByText('0 of 2 reviewed').waitFor();
    await cell(page, 'Format', 1).getByText('PNG').waitFor();
    expect(await cell(page, 'Size', 1).locator('mark').innerText()).toContain('400 × ');
    expect(await cell(page, 'Date', 2).locator('mark').innerText()).toContain('1891');
    expect(await cell(page, 'Date', 1).locator('mark').innerText()).toContain('–');
    expect(await cell(page, 'Title', 2).locator('mark').count()).toBe(0);
    await page.getByRole('button', { name: 'Choose Boats, small' }).click();
    await page.keyboard.press('r');
    await expect.poll(() => cell(page, 'Title', 2).locator('mark').count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('reference')).toBe('boats-small');
    expect(faults).toEqual([]);
    await close();
  });

  it('are judged by one key each, group after group, and what is left is counted', async () => {
    const { page, faults, close } = await stage.open('/app/?page=duplicates');
    await page.getByText('0 of 2 reviewed').waitFor();
    await page.locator('table').waitFor();
    await page.keyboard.press('s');
    await expect.poll(verdicts).toEqual([['boats', 'boats-small', 'same']]);
    await page.locator('th[data-id="boats-small"]', { hasText: 'Same' }).waitFor();
    await page.keyboard.press('v');
    await page.getByText('1 of 2 reviewed').waitFor();
    await page.getByText('1 group left').waitFor();
    await page.locator('th[data-id="cat-copy"]').waitFor();
    await page.keyboard.press('d');
    await page.getByText('All groups are reviewed').waitFor();
    expect((await verdicts()).toSorted()).toEqual([
      ['boats', 'boats-small', 'same'],
      ['boats', 'boats-webp', 'variant'],
      ['cat', 'cat-copy', 'different'],
    ]);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('link', { name: /Group 2/ }).click();
    const different = page.getByRole('button', { name: /^Different/ });
    await expect.poll(() => different.getAttribute('aria-pressed')).toBe('true');
    await different.click();
    await page.getByText('1 of 2 reviewed').waitFor();
    expect(await verdicts()).toHaveLength(2);
    expect(faults).toEqual([]);
    await close();
    await withdrawAll();
  });

  it('are not judged by letters that are typed into the search box', async () => {
    const { page, close } = await stage.open('/app/?page=duplicates');
    await page.locator('table').waitFor();
    await page.locator('.cm-content').click();
    await page.keyboard.type('vs');
    await expect.poll(() => page.locator('.cm-content').textContent()).toBe('vs');
    expect(await verdicts()).toEqual([]);
    await close();
  });

  it('are merged into the one that is kept, after it was shown, and brought back as they were', full, async () => {
    const before = await ids();
    const { page, faults, close } = await stage.open('/app/?page=duplicates&group=boats&picture=boats');
    await page.locator('table').waitFor();
    await page.keyboard.press('k');
    await page.getByText('2 other pictures are deleted').waitFor();
    await page.locator('dialog ins', { hasText: 'Nagasaki harbor' }).waitFor();
    expect(await ids()).toEqual(before);
    await page.getByRole('button', { name: 'Keep, delete 2' }).click();
    await page.getByText('2 duplicates were merged and deleted.').waitFor();
    await page.getByText('1 of 2 reviewed').waitFor();
    expect(await ids()).toEqual(['boats', 'cat', 'cat-copy']);
    const kept = (await stage.client.rest('GET', '/imgs/boats?fields=caption&fields=keywords&fields=date')).body;
    expect(kept).toEqual({ caption: 'Nagasaki harbor', keywords: ['boat', 'sea'], date: '1890' });
    await page.locator('th[data-id="cat"]').waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('0 of 2 reviewed').waitFor();
    expect(await ids()).toEqual(before);
    expect(faults).toEqual([]);
    await close();
  });

  it('are not merged if one was changed since it was shown, until it was looked at again', full, async () => {
    const before = await ids();
    const { page, faults, close } = await stage.open('/app/?page=duplicates&group=boats&picture=boats');
    await page.locator('table').waitFor();
    await stage.client.write('PATCH', '/imgs/boats-webp', { city: 'Nagasaki' });
    await page.keyboard.press('k');
    await page.getByText('boats-webp or the picture to keep was changed').waitFor();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.locator('mark', { hasText: /^Nagasaki,/ }).waitFor();
    expect(await ids()).toEqual(before);
    await page.keyboard.press('k');
    await page.getByText('2 other pictures are deleted').waitFor();
    await stage.client.write('PATCH', '/imgs/boats', { country: 'Japan' });
    await page.getByRole('button', { name: 'Keep, delete 2' }).click();
    await page.getByText('Someone else changed these pictures.').waitFor();
    expect(await ids()).toEqual(before);
    expect(faults).toEqual([]);
    await close();
    await stage.client.write('PATCH', '/imgs/boats', { country: null });
    await stage.client.write('PATCH', '/imgs/boats-webp', { city: null });
  });

  it('break no rule of accessibility, also in the dark and while one is merged, and fit 360 pixels', full, async () => {
    const { page, faults, close } = await stage.open('/app/?page=duplicates');
    await page.locator('table').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await expect.poll(() => violationsOf(page)).toEqual([]);
    await page.keyboard.press('k');
    await page.getByRole('button', { name: /^Keep, delete/ }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(faults).toEqual([]);
    await close();
  });

  it('are laid over each other within the window of a phone', full, async () => {
    const { page, close } = await stage.open('/app/?page=duplicates&compare=yes');
    await page.setViewportSize({ width: 390, height: 800 });
    const dialog = page.locator('dialog');
    await dialog.getByRole('slider').waitFor();
    expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    expect((await dialog.boundingBox())?.width).toBeLessThanOrEqual(390);
    await close();
  });

  it('are laid over each other with a slider and a flicker, and judged there', full, async () => {
    const { page, faults, close } = await stage.open('/app/?page=duplicates&group=boats&picture=boats-webp');
    await page.locator('table').waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Boats and Boats' });
    const shown = () => dialog.locator('img.reference').getAttribute('style');
    await dialog.getByRole('slider').fill('30');
    await expect.poll(shown).toContain('70%');
    await page.keyboard.press('f');
    await expect.poll(shown).toMatch(/ 0%|inset\(0px\)/);
    await page.keyboard.press('f');
    await expect.poll(shown).toContain('100%');
    expect(await violationsOf(page)).toEqual([]);
    expect(new URL(page.url()).searchParams.get('compare')).toBe('yes');
    await page.keyboard.press('v');
    await expect.poll(verdicts).toEqual([['boats', 'boats-webp', 'variant']]);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(new URL(page.url()).searchParams.has('compare')).toBe(false);
    expect(faults).toEqual([]);
    await close();
    await withdrawAll();
  });

  it('are in their group again when one goes back from comparing them', async () => {
    const { page, close } = await stage.open('/app/?page=duplicates');
    const dialog = page.getByRole('dialog');
    await page.getByRole('link', { name: /Group 2/ }).click();
    await page.locator('th[data-id="cat-copy"]').waitFor();
    await page.getByRole('button', { name: 'Choose Cat' }).first().click();
    await page.keyboard.press('c');
    await page.getByRole('button', { name: 'Choose Cat' }).last().click();
    expect(await dialog.count()).toBe(0);
    await page.keyboard.press('c');
    await dialog.waitFor();
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('th[data-id="cat-copy"]').waitFor();
    await page.getByRole('button', { name: /^Compare/ }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.goBack();
    await page.locator('th[data-id="boats-webp"]').waitFor();
    expect(await dialog.count()).toBe(0);
    await close();
  });

  it('leaves variants where another one is kept', async () => {
    await stage.client.rest('PUT', '/verdicts/boats/boats-webp', { verdict: 'variant' });
    const { page, close } = await stage.open('/app/?page=duplicates&group=boats&picture=boats');
    await page.getByRole('button', { name: /^Keep this one/ }).click();
    await page.getByText('1 other picture is deleted').waitFor();
    await page.locator('dialog li', { hasText: 'boats-small' }).waitFor();
    expect(await page.locator('dialog li', { hasText: 'boats-webp' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await close();
    await withdrawAll();
  });

  it('name the formula whose pictures were searched, with a link to them', full, async () => {
    await stage.client.write('POST', '/duplicates?q=boats');
    const { page, close } = await stage.open('/app/?page=duplicates');
    await page.getByText('Only among the pictures of the search').waitFor();
    await expect.poll(() => page.locator('td', { hasText: /^(?:true|false)$/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'boats', exact: true }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?q=boats');
    await close();
  });

  it('can be looked through by a viewer, who is offered nothing else', async () => {
    const viewer = await stage.world.client({ role: 'viewer', tenant: stage.tenant });
    const { page, faults, close } = await stage.open('/app/?page=duplicates', { key: viewer.key });
    await page.locator('table').waitFor();
    for (const name of [/^Same/, /^Keep this one/, 'Search again']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    }
    for (const key of ['s', 'k']) await page.keyboard.press(key);
    expect([await page.locator('dialog').count(), await verdicts()]).toEqual([0, []]);
    await page.keyboard.press('n');
    await page.locator('th[data-id="cat"]').waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});

describe.skipIf(browserPath === null)(
  `Pictures that are laid over each other${whyNoBrowser}`,
  { tags: ['browser'] },
  () => {
    let stage: Stage;
    withStages.beforeAll(async ({ openStage }) => {
      stage = await openStage(['shape', 'pdq', 'localFeatures']);
    });
    afterAll(() => stage?.close());

    it('lie where they show the same, if one is a part of the other', async () => {
      const whole = sharp(join(pictures, 'nagasaki-boats.jpg'));
      const { width, height } = await whole.metadata();
      const part = { left: 0.2, top: 0.1, width: 0.7, height: 0.8 };
      const [w, h] = [Math.round(width * part.width), Math.round(height * part.height)];
      await whole
        .extract({ left: Math.round(width * part.left), top: Math.round(height * part.top), width: w, height: h })
        .toFile(join(stage.world.media, 'part.jpg'));
      await stage.client.write('POST', '/imgs?lang=en&on_duplicate=flag', [
        { id: 'part', src_path: 'part.jpg', title: 'A part' },
      ]);
      await stage.client.write('POST', '/duplicates?tier=edited');
      const path = '/app/?page=duplicates&group=nagasaki&reference=nagasaki&picture=part&compare=yes';
      const { page, faults, close } = await stage.open(path);
      const sheet = () =>
        page.evaluate(`(() => {
        const [chosen, reference] = ['chosen', 'reference'].map((name) => document.querySelector('img.' + name));
        const [a, b] = [chosen, reference].map((image) => image.getBoundingClientRect());
        return [(a.left - b.left) / b.width, (a.top - b.top) / b.height, a.width / b.width, a.height / b.height]
          .map((share) => Math.round(share * 20) / 20);
      })()`);
      await page.getByRole('dialog', { name: / and A part$/ }).waitFor();
      await expect.poll(sheet).toEqual([part.left, part.top, part.width, part.height]);
      expect(faults).toEqual([]);
      await close();
    });
  },
);
