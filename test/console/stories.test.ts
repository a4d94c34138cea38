import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { analyzerOf } from '../support/analyzers.ts';
import { browserPath, openBrowser, openPage, whyNoBrowser } from '../support/browser.ts';
import { corpusFolder, noCorpus, readCatalog, readManifest } from '../support/corpus.ts';
import { full } from '../support/effort.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';
import { examples, pictures } from './support.ts';

const shownIds = (page: Page) =>
  page.locator('main [data-id]').evaluateAll((all: any[]) => all.map((each) => each.dataset.id).toSorted());

/** A page of the console, signed in as a person does it. */
async function signedIn(world: World, key: string, work: (page: Page, faults: string[]) => Promise<void>) {
  const browser = await openBrowser();
  try {
    const { page, faults } = await openPage(browser, { width: 1440 });
    await page.goto(`${world.url}/app/`);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await work(page, faults);
  } finally {
    await browser.close();
  }
}

describe.skipIf(browserPath === null)(`An editor${whyNoBrowser}`, { ...full, timeout: 600_000 }, () => {
  it('begins with an empty catalog: a key, the examples by one button, the first picture found', async () => {
    const world = await openWorld({ mediaRoots: [pictures, join(examples, 'videos')] });
    const { key } = await world.client();
    await signedIn(world, key, async (page, faults) => {
      await page.getByText('The catalog is empty').waitFor();
      await page.getByRole('button', { name: 'Import the examples' }).click();
      await page.getByText('6 pictures').waitFor();
      await page.getByLabel('Search formula').fill('boats');
      await page.keyboard.press('Enter');
      await page.getByText('1 picture').waitFor();
      await page.locator('[data-id="nagasaki"]').click();
      await page.getByRole('dialog').getByRole('heading', { name: 'Boats in a river, Nagasaki' }).first().waitFor();
      const image = page.getByRole('dialog').locator('.sheet img');
      await expect.poll(() => image.evaluate((img: any) => img.naturalWidth)).toBeGreaterThan(600);
      expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
    });
    await world.close();
  });
});

/** Opens a section of the filters, unless it is. */
async function openSection(filters: Locator, name: string): Promise<void> {
  await filters.locator('[aria-busy="false"]').waitFor();
  const section = filters.locator('details').filter({ has: filters.page().locator('summary', { hasText: name }) });
  if ((await section.getAttribute('open')) === null) await section.locator('summary').click();
}

/** A portrait, in black and white or not, among what is no portrait or too late. */
const portraits = [
  { id: 'wanted', date: '1934-05-02', isGray: true },
  { id: 'in-color', date: '1936', isGray: false },
  { id: 'too-late', date: '1962', isGray: true },
];

describe.skipIf(browserPath === null || noCorpus)(
  `An editor with a catalog${whyNoBrowser}`,
  { ...full, timeout: 600_000 },
  () => {
    /** The corpus, and portraits of women, analyzed. */
    async function openCatalog(): Promise<Readonly<{ world: World; key: string }>> {
      const imageAnalyzer = analyzerOf(['shape', 'colors', 'pdq', 'localFeatures']);
      const world = await openWorld({ mediaRoots: [corpusFolder], analyses: true, imageAnalyzer });
      const client = await world.client();
      const face = sharp(join(corpusFolder, readManifest().faces[0]?.file ?? ''));
      for (const { id, isGray } of portraits) {
        const picture = isGray ? face.clone().grayscale() : face.clone();
        await picture.jpeg().toFile(join(world.media, `${id}.jpg`));
      }
      const women = portraits.map(({ id, date }) => ({
        ...{ id, date, src_path: `${id}.jpg`, title: 'Portrait of a woman' },
        ...{ keywords: ['woman'], categories: ['portraits'] },
      }));
      for (const records of [readCatalog(), women]) {
        const { body } = await client.rest('POST', '/imgs?lang=en', records);
        while (!(await client.rest('GET', `/ops/${body.operation_id}`)).body.is_finished) await sleep(500);
      }
      return { world, key: client.key };
    }

    it('finds a portrait of a woman in black and white from before 1940 by clicking alone', async () => {
      const { world, key } = await openCatalog();
      await signedIn(world, key, async (page, faults) => {
        await page.getByText('63 pictures').waitFor();
        const filters = page.getByRole('complementary', { name: 'Filters' });
        const more = filters.locator('details', { hasText: 'Category' }).getByRole('button', { name: 'More' });
        await more.click();
        await filters.getByRole('button', { name: 'portraits 3, Category' }).click();
        await page.getByText('3 pictures').waitFor();
        await openSection(filters, 'Keyword');
        await filters.getByRole('button', { name: 'woman 3, Keyword' }).click();
        await openSection(filters, 'Black and white');
        await filters.getByRole('button', { name: /^yes 2, Black and white/i }).click();
        await page.getByText('2 pictures').waitFor();
        await expect.poll(() => filters.getByRole('button', { name: /^193\d.*: [1-9]/ }).count()).toBe(1);
        await filters.getByRole('button', { name: /^193\d.*: 1$/ }).click();
        await expect.poll(() => shownIds(page)).toEqual(['wanted']);
        expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
      });
      await world.close();
    });

    it('finds the original of an edited copy by dropping the file', async () => {
      const { world, key } = await openCatalog();
      const ids = new Map(readCatalog().map((record) => [record['src_path'], record['id']]));
      type Variant = Readonly<{ file: string; of: string; transform: string }>;
      const variants = readManifest().variants as unknown as readonly Variant[];
      const copy = variants.find(({ file, of, transform }) => !ids.has(file) && ids.has(of) && /crop/.test(transform));
      const bytes = readFileSync(join(corpusFolder, copy?.file ?? '')).toString('base64');
      await signedIn(world, key, async (page) => {
        await page.getByText('63 pictures').waitFor();
        await page.evaluate(
          `{ const bytes = Uint8Array.from(atob('${bytes}'), (sign) => sign.charCodeAt(0));
             const data = new DataTransfer();
             data.items.add(new File([bytes], 'copy.jpg', { type: 'image/jpeg' }));
             for (const type of ['dragover', 'drop'])
               window.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true })); }`,
        );
        await expect.poll(() => new URL(page.url()).searchParams.get('q'), { timeout: 60_000 }).toMatch(/^i=/);
        const original = ids.get(copy?.of) as string;
        await page.locator(`main [data-id="${original}"]`).click({ timeout: 60_000 });
        await page.getByRole('dialog').getByText('Why it matches').waitFor();
      });
      await world.close();
    });
  },
);
