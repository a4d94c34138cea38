import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { pictures, violationsOf, withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

/** A smaller copy of an example picture. */
async function copyOf(name: string, as: string, width: number) {
  const buffer = await sharp(join(pictures, name)).resize({ width }).jpeg().toBuffer();
  return { name: as, mimeType: 'image/jpeg', buffer };
}

describe.skipIf(browserPath === null)(`Copies among what is imported${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage(['pdq', 'localFeatures']);
  });
  afterAll(() => stage?.close());

  const store = async (page: Page, files: Awaited<ReturnType<typeof copyOf>>[]) => {
    await page.getByLabel('Choose files').setInputFiles(files);
    await page.getByRole('button', { name: `Store ${files.length} file` }).click();
  };
  const statusOf = async (id: string) => (await stage.client.rest('GET', `/imgs/${id}`)).status;

  it('are shown beside the picture that the catalog has, and kept, left out or put in its place', full, async () => {
    const { page, faults, close } = await stage.open('/app/?page=import');
    await page.getByLabel('Pictures already in the catalog').selectOption('Store them and let me decide');
    expect(new URL(page.url()).searchParams.get('copies')).toBe('flag');
    await store(page, [
      await copyOf('dust-bowl-home.jpg', 'a.jpg', 500),
      await copyOf('airplane-from-above.jpg', 'b.jpg', 500),
      await copyOf('nagasaki-boats.jpg', 'c.jpg', 500),
    ]);
    await page.getByText('3 new pictures are already in the catalog').waitFor();
    const pair = page.getByRole('region', { name: '3 new pictures' });
    await pair.getByText('In the catalog', { exact: true }).waitFor();
    await pair.getByText('720 × 554').waitFor();
    await pair.getByText('Same picture', { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Discard the new one' }).click();
    await page.getByText('2 new pictures are already in the catalog').waitFor();
    expect([await statusOf('a.jpg'), await statusOf('dust-bowl')]).toEqual([404, 200]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('3 new pictures are already in the catalog').waitFor();
    await page.getByRole('button', { name: 'Discard the new one' }).click();
    await page.getByText('2 new pictures are already in the catalog').waitFor();
    await page.getByRole('button', { name: 'Keep both' }).click();
    await page.getByText('1 new picture is already in the catalog').waitFor();
    expect([await statusOf('b.jpg'), await statusOf('airplane')]).toEqual([200, 200]);
    await page.getByRole('button', { name: 'Replace the one in the catalog' }).click();
    await page.getByText('The picture in the catalog was replaced.').waitFor();
    const { body } = await stage.client.rest('GET', '/imgs/c.jpg?fields=title&fields=width');
    expect(body).toEqual({ title: 'Boats in a river, Nagasaki', width: 500 });
    expect(await statusOf('nagasaki')).toBe(404);
    await expect.poll(() => page.getByText(/new pictures? (is|are) already/).count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('are left out, where that is chosen, and say of which picture they are', async () => {
    const { page, close } = await stage.open('/app/?page=import&copies=reject');
    await store(page, [await copyOf('french-alpine-landscape.jpg', 'd.jpg', 400)]);
    await page.locator('.file.bad', { hasText: 'd.jpg' }).getByText("image 'alps' shows the same picture").waitFor();
    expect(await statusOf('d.jpg')).toBe(404);
    await close();
  });
});

describe.skipIf(browserPath === null)(
  `Copies of pictures that were never analyzed${whyNoBrowser}`,
  { tags: ['browser'] },
  () => {
    let stage: Stage;
    withStages.beforeAll(async ({ openStage }) => {
      stage = await openStage();
    });
    afterAll(() => stage?.close());

    it('are decided without a comparison', full, async () => {
      const { page, faults, close } = await stage.open('/app/?page=import&copies=flag');
      const file = {
        name: 'again.jpg',
        mimeType: 'image/jpeg',
        buffer: readFileSync(join(pictures, 'nagasaki-boats.jpg')),
      };
      await page.getByLabel('Choose files').setInputFiles([file]);
      await page.getByRole('button', { name: 'Store 1 file' }).click();
      await page.getByText('1 new picture is already in the catalog').waitFor();
      await page.getByRole('button', { name: 'Keep both' }).click();
      await expect.poll(() => page.getByText(/new pictures? (is|are) already/).count()).toBe(0);
      expect(faults).toEqual([]);
      await close();
    });
  },
);
