import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { pictures, violationsOf, withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

const fileOf = (name: string, content: string | Buffer) => ({
  name,
  mimeType: name.endsWith('.jpg') ? 'image/jpeg' : 'text/plain',
  buffer: Buffer.from(content),
});
/** A picture that no other file is: what stands behind its end is not seen. */
const picture = (name: string, as: string) =>
  fileOf(as, Buffer.concat([readFileSync(join(pictures, name)), Buffer.from(as)]));

const english = 'The boats on the river with the houses behind them';

describe.skipIf(browserPath === null)(`The import of a table${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  const open = async () => stage.open('/app/?page=import');
  const choose = (page: Page, files: ReturnType<typeof fileOf>[]) =>
    page.getByLabel('Choose files').setInputFiles(files);
  const record = async (id: string, fields: string) =>
    (
      await stage.client.rest(
        'GET',
        `/imgs/${id}?${fields
          .split(',')
          .map((name) => `fields=${name}`)
          .join('&')}`,
      )
    ).body;

  it('guesses what columns are for, stores rows with the files that they name, and names what it leaves out', async () => {
    const { page, faults, close } = await open();
    const table = `file;Title;tags;remarks;photographer\nalps.jpg;${english};"one|two, three";secret;Anna\n`;
    await choose(page, [fileOf('captions.csv', table), picture('french-alpine-landscape.jpg', 'alps.jpg')]);
    await page.getByText('1 row, separated by semicolons').waitFor();
    await page.getByText('1 file on this page belongs to it').waitFor();
    await page.getByText('Left out: remarks').waitFor();
    expect(await page.getByLabel('Field of tags').inputValue()).toBe('keywords');
    const labels = await page.getByLabel('Field of tags').locator('option').allTextContents();
    expect(labels.filter((label, at) => labels.indexOf(label) !== at)).toEqual([]);
    expect(await page.getByLabel('Field of photographer').inputValue()).toBe('author');
    expect(await page.getByLabel('Separator of tags').inputValue()).toBe('|');
    expect(await page.getByLabel('Text language').inputValue()).toBe('en');
    await page.getByText('1 of 1 checked rows can be stored.').waitFor();
    expect(await page.getByRole('cell', { name: 'one · two, three' }).count()).toBe(1);
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await page.evaluate("document.querySelector('main').scrollWidth")).toBeLessThanOrEqual(390);
    await page.getByRole('button', { name: 'Store 1 row' }).click();
    await page.getByText('1 of 1 rows are stored.').waitFor();
    await page.locator('.file', { hasText: 'alps.jpg' }).getByText('Stored', { exact: true }).waitFor();
    expect(await record('alps.jpg', 'title,keywords,author,src_path')).toMatchObject({
      title: english,
      keywords: ['one', 'two, three'],
      author: 'Anna',
      src_path: expect.stringMatching(/^upload:.*alps\.jpg$/),
    });
    expect(faults).toEqual([]);
    await close();
  });

  it('shows at which row and column a value does not fit, stores the rest, and then the row that was corrected', async () => {
    const { page, close } = await open();
    const table = [
      '{"id":"row-1","src_path":"nagasaki-boats.jpg","date":"1865","when":"1865","title":"The boats on the river"}',
      '{"id":"row-2","src_path":"airplane-from-above.jpg","date":"soon","when":"1910","title":"The view of the town"}',
      '{"id":',
    ].join('\n');
    await choose(page, [fileOf('list.ndjson', table)]);
    await page.getByText('1 of 3 checked rows can be stored.').waitFor();
    await page.getByText('line 2 · Date').waitFor();
    expect(await page.locator('td.wrong').allInnerTexts()).toEqual(['soon', expect.stringMatching(/^not JSON/)]);
    await page.getByRole('button', { name: 'Store 3 rows' }).click();
    await page.getByText('1 of 3 rows are stored.').waitFor();
    await page.getByLabel('Field of date').selectOption('Leave out');
    await page.getByLabel('Field of when').selectOption('Date');
    await page.getByText('1 of 2 checked rows can be stored.').waitFor();
    await page.getByRole('button', { name: 'Try 2 rows again' }).click();
    await page.getByText('1 of 2 rows are stored.').waitFor();
    expect(await record('row-2', 'date')).toEqual({ date: '1910' });
    await page.getByRole('button', { name: 'Remove the table' }).click();
    expect(await page.getByLabel('Field of when').count()).toBe(0);
    await close();
  });

  it('asks for the column of ids and for the language where the table does not say them', async () => {
    const { page, close } = await open();
    await choose(page, [fileOf('list.tsv', 'key\tsource\ttitle\nk1\tdust-bowl-home.jpg\tHome\n')]);
    await page.getByText('Choose the column with the ids').waitFor();
    await page.getByLabel('Field of key').selectOption('Id');
    await page.getByLabel('Field of source').selectOption('File');
    expect(await page.getByRole('button', { name: 'Store 1 row' }).isDisabled()).toBe(true);
    const missing = page.getByText('Choose the language of the texts to store the rows.');
    await missing.waitFor();
    await page.getByLabel('Text language').selectOption('fr');
    expect(await missing.count()).toBe(0);
    await page.getByRole('button', { name: 'Store 1 row' }).click();
    await page.getByText('1 of 1 rows are stored.').waitFor();
    const { data } = await stage.client.graphql('{ image(id: "k1") { lang title } }');
    expect(data.image).toEqual({ lang: 'fr', title: 'Home' });
    await close();
  });

  it('shows the beginning of a long text only, so that other rows are seen', async () => {
    const { page, close } = await open();
    await choose(page, [fileOf('long.csv', `id,src_path,caption\nlong,a.jpg,${`${english} `.repeat(40)}\n`)]);
    const cell = page.getByRole('cell', { name: /^The boats/ });
    await cell.waitFor();
    expect((await cell.boundingBox())?.height).toBeLessThan(150);
    await close();
  });

  it('keeps what it says of stored rows, also when the check of the first rows comes late', async () => {
    const { page, close } = await open();
    await page.evaluate(`{
      const own = setTimeout;
      window.late = [];
      window.setTimeout = (act, ms, ...rest) => (ms === 400 ? late.push(act) : own(act, ms, ...rest));
    }`);
    await choose(page, [fileOf('late.csv', `id,src_path,title\nlate,airplane-from-above.jpg,${english}\n`)]);
    await page.getByRole('button', { name: 'Store 1 row' }).click();
    const stored = page.getByText('1 of 1 rows are stored.');
    await stored.waitFor();
    expect(await page.evaluate('late.map((act) => act()).length')).toBeGreaterThan(0);
    await page.waitForTimeout(500);
    expect(await stored.count()).toBe(1);
    await close();
  });

  it(
    'goes on with a table after its page was closed in the middle of storing it, and stores no row twice',
    full,
    async () => {
      const { page, close } = await open();
      const rows = Array.from({ length: 1_100 }, (_, at) => `many-${at},nagasaki-boats.jpg,${english}`);
      await choose(page, [fileOf('many.csv', ['id,src_path,title', ...rows].join('\n'))]);
      await page.getByText('10 of 10 checked rows can be stored.').waitFor();
      await page.getByRole('button', { name: 'Store 1,100 rows' }).click();
      await page.getByText('of 1,100 rows', { exact: false }).first().waitFor();
      await page.reload();
      await page.getByText('1,100 of 1,100 rows are stored.').waitFor({ timeout: 120_000 });
      const found = await stage.client.rest('GET', '/imgs?q=id:many-*&limit=1&count=true');
      expect(found.body.count).toBe(1_100);
      await page.reload();
      await page.getByRole('heading', { name: 'Import' }).waitFor();
      expect(await page.getByText('many.csv').count()).toBe(0);
      await close();
    },
  );
});
