import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyzerOf } from '../support/analyzers.ts';
import { browserPath, openBrowser, openPage, whyNoBrowser } from '../support/browser.ts';
import { corpusFolder, noCorpus } from '../support/corpus.ts';
import { firstOf, sizeOf } from '../support/effort.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { signInWith } from './support.ts';

const filesIn = (folder: string) =>
  readdirSync(join(corpusFolder, folder)).map((name) => join(corpusFolder, folder, name));

/** How many pictures there are of each kind: 100 in a full run, 200 with a `TEST_EFFORT` of 2. */
const counts = {
  originals: sizeOf(6, 18),
  copies: sizeOf(6, 22),
  others: sizeOf(0, 20),
  moreCopies: sizeOf(0, 40, 140),
};
const total = Object.values(counts).reduce((sum, each) => sum + each);
/** Those whose names begin with p. */
const edited = counts.originals + counts.copies;
const plainTransforms = ['resize_50.jpg', 'recompress_q30.jpg', 'grayscale.jpg'];

/** Copies of the corpus under one folder. Names of originals and of some of their copies begin with p. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'newcomer '));
  const take = (path: string, name = basename(path)) => copyFileSync(path, join(folder, name));
  const originals = filesIn('originals').slice(0, counts.originals);
  const copies = readdirSync(join(corpusFolder, 'variants')).flatMap((of) => filesIn(join('variants', of)));
  const isPlain = (path: string) => plainTransforms.includes(basename(path));
  const plain = copies.filter(isPlain).slice(0, counts.copies);
  const more = copies.filter((path) => !plain.includes(path)).slice(0, counts.moreCopies);
  const others = [...filesIn('text'), ...filesIn('colors').slice(0, 8), ...filesIn('metadata').slice(-2)];
  const nameOf = (path: string) => `${basename(dirname(path))}-${basename(path)}`;
  for (const path of [...originals, ...others.slice(0, counts.others)]) take(path);
  for (const path of plain) take(path, nameOf(path));
  for (const path of more) take(path, `copy-${nameOf(path)}`);
  return folder;
}

/** Files that fail, by the reason that a person reads. */
const bad = {
  'liar-header.png': /more than \d+ megapixels/,
  'text.jpg': /is not JPEG, PNG/,
  'bomb-8bit.png': /more than \d+ megapixels/,
} as const;

describe.skipIf(browserPath === null || noCorpus)(
  `A newcomer with an empty catalog${whyNoBrowser}`,
  { tags: ['browser', 'full'], timeout: sizeOf(300_000, 1_200_000), retry: 0 },
  () => {
    let world: World;
    let client: Client;
    let folder: string;
    beforeAll(async () => {
      folder = makeFolder();
      const imageAnalyzer = analyzerOf(['shape', 'pdq', 'localFeatures']);
      world = await openWorld({ analyses: true, imageAnalyzer });
      client = await world.client();
    });
    afterAll(async () => {
      await world?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it('imports pictures, understands what failed, edits, decides duplicates, and lets somebody else read', async () => {
      const browser = await openBrowser();
      const { page, faults } = await openPage(browser, { width: 1280, height: 900 });
      await signInWith(page, world.url, client.key);
      await page.goto(`${world.url}/app/`);
      await page.getByText('The catalog is empty').waitFor();
      await page.getByRole('link', { name: 'Import' }).click();
      await importFolder(page, folder);
      await retryBad(page);
      await analyzed(client);
      await editAndUndo(page, client);
      await decideDuplicates(page);
      const secret = await makeViewer(page);
      expect(faults).toEqual([]);
      await page.context().clearCookies();
      await signInWith(page, world.url, secret);
      expect(await refusedOf(page, world.url)).toEqual([]);
      expect(faults).toEqual([]);
      await browser.close();
    });
  },
);

/** Waits until no operation runs. */
async function analyzed(client: Client): Promise<void> {
  const running = async () => (await client.rest('GET', '/ops?is_finished=false')).body.length;
  await expect.poll(running, { timeout: 600_000, interval: 500 }).toBe(0);
}

async function importFolder(page: Page, folder: string): Promise<void> {
  const good = readdirSync(folder).map((name) => join(folder, name));
  expect(good.length).toBe(total);
  const broken = Object.keys(bad).map((name) => join(corpusFolder, 'bad', name));
  await page.getByLabel('Choose files').setInputFiles([...good, ...broken]);
  await page.getByText(`${total + 3} of ${total + 3} uploaded`).waitFor();
  await page.getByRole('button', { name: `Store ${total + 3} files` }).click();
  await expect
    .poll(() => page.locator('.file').getByText('Stored', { exact: true }).count(), { timeout: 90_000 })
    .toBe(total);
}

/** Each failure says why; trying again changes nothing, and corrected files take the place of those that failed. */
async function retryBad(page: Page): Promise<void> {
  const reasons = async () => {
    for (const [name, reason] of Object.entries(bad)) {
      await page.locator('.file.bad', { hasText: name }).getByText(reason).waitFor();
    }
    const first = page.locator('.file').nth(Object.keys(bad).length - 1);
    expect(await first.getAttribute('class')).toMatch(/\bbad\b/);
  };
  await reasons();
  await page.getByRole('button', { name: 'Try 3 files again' }).click();
  await page.getByRole('button', { name: 'Store 3 files' }).click();
  await reasons();
  const mended = Object.keys(bad).map((name, at) => ({
    name,
    mimeType: 'image/png',
    buffer: readFileSync(join(corpusFolder, 'bad', ['png16.png', 'progressive.jpg', 'one-pixel.png'][at] ?? '')),
  }));
  await page.getByLabel('Choose files').setInputFiles(mended);
  await page.getByText(`${total + 3} of ${total + 3} uploaded`).waitFor();
  await page.getByRole('button', { name: 'Store 3 files' }).click();
  await expect
    .poll(() => page.locator('.file').getByText('Stored', { exact: true }).count(), { timeout: 60_000 })
    .toBe(total + 3);
}

async function editAndUndo(page: Page, client: Client): Promise<void> {
  const marked = async () => (await client.rest('GET', '/imgs?q=keywords:checked&count=true&limit=1')).body.count;
  await page.goto(`${new URL(page.url()).origin}/app/?q=id:p*`);
  await page.getByText(`${edited} pictures`).waitFor();
  await page.locator('.result').first().getByRole('checkbox').click();
  await page.getByRole('button', { name: `Select all ${edited}` }).click();
  await page.getByRole('button', { name: 'Edit …' }).click();
  await page.getByLabel('Field', { exact: true }).selectOption('keywords');
  await page.getByLabel('Keyword', { exact: true }).fill('checked');
  await page.getByRole('button', { name: 'Preview changes' }).click();
  await page.getByText(`${edited} records will change.`).waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText(`${edited} records were changed.`).waitFor();
  expect(await marked()).toBe(edited);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(marked).toBe(0);
}

async function decideDuplicates(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Duplicates' }).click();
  await page.getByRole('button', { name: 'Find duplicates' }).click();
  const status = page.getByText(/\d+ of \d+ reviewed/);
  await status.waitFor({ timeout: 60_000 });
  const groups = Number(/of (\d+)/.exec(await status.innerText())?.[1]);
  expect(groups).toBeGreaterThanOrEqual(sizeOf(2, 8));
  const same = page.getByRole('button', { name: /^Same/ });
  const isDone = page.getByText('All groups are reviewed');
  for (let pressed = 0; !(await isDone.isVisible()) && pressed < 200; pressed += 1) {
    // The button goes with the last group, perhaps at this moment.
    if (await same.isEnabled({ timeout: 500 }).catch(() => false)) await page.keyboard.press('s');
    await page.waitForTimeout(150);
  }
  await isDone.waitFor();
  await page.getByText(`${groups} of ${groups} reviewed`).waitFor();
}

async function makeViewer(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Administration' }).click();
  await page.getByLabel('Name').fill('Second person');
  await page.getByRole('combobox', { name: 'Role' }).selectOption('viewer');
  await page.getByRole('button', { name: 'Create key' }).click();
  return page.getByRole('region', { name: 'The key of Second person' }).getByLabel('API key').inputValue();
}

/** Pages that a viewer opens. */
const viewed = ['?open=p02-cat.jpg', '', '?page=operations', '?page=duplicates', '?page=collections', '?view=list'];

/** Of buttons that differ by the picture that they are at, the first. */
function oneOfEachKind(names: readonly string[]): string[] {
  const kinds = names.toReversed().map((name) => [name.replaceAll(/\S+\.\w{3,4}\b/g, '…'), name] as const);
  return [...new Map(kinds).values()];
}

/** What the service refuses while every button of every page is pressed, but for that which ends the session. */
async function refusedOf(page: Page, url: string): Promise<string[]> {
  const refused: string[] = [];
  page.on('response', (response) => {
    if (!response.url().endsWith('/graphql')) return;
    const seen = response.text().then((text) => text.includes('"forbidden"') && refused.push(text.slice(0, 200)));
    void seen.catch(() => {});
  });
  let pressed = 0;
  for (const path of firstOf(2, viewed)) {
    await page.goto(`${url}/app/${path}`);
    await page.locator('main').first().waitFor();
    await page.waitForLoadState('networkidle');
    const names = await page
      .locator('button:visible')
      .evaluateAll((all: any[]) => all.map((each) => each.ariaLabel ?? each.innerText));
    for (const name of oneOfEachKind(names.filter((each) => each !== '' && !/sign out/i.test(each)))) {
      const button = page.getByRole('button', { name, exact: true }).first();
      await button.click({ timeout: 500 }).then(
        () => (pressed += 1),
        () => {},
      );
      await page.keyboard.press('Escape');
    }
  }
  expect(pressed).toBeGreaterThan(sizeOf(10, 20));
  return refused;
}
