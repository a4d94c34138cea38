import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import type { Client } from '../support/world.ts';
import { openRestartable } from './restartable.ts';
import { pictures } from './support.ts';
import { full } from '../support/effort.ts';

const boats = readFileSync(join(pictures, 'nagasaki-boats.jpg'));
/** A picture that no other file is: what stands behind its end is not seen. */
const picture = (name: string) => ({ name, mimeType: 'image/jpeg', buffer: Buffer.concat([boats, Buffer.from(name)]) });
const away = 'The service is not available. This continues automatically';

/** The writes that were done, without those that were only tried, and the records that are there. */
async function storedIn(client: Client): Promise<Readonly<{ writes: number; records: number }>> {
  const query = '{ operations(limit: 100) { results { isDryRun numTotal } } images(limit: 1) { count } }';
  const { operations, images } = (await client.graphql(query)).data;
  const writes = operations.results.filter(({ isDryRun }: { isDryRun: boolean }) => !isDryRun);
  return { writes: writes.length, records: images.count };
}

describe.skipIf(browserPath === null)(`A kill of the service${whyNoBrowser}`, { tags: ['browser'] }, () => {
  it('while files are stored is said, and every file is stored once when the service is back', full, async () => {
    const { page, client, killAtAnswer, faults, close } = await openRestartable('/app/?page=import');
    await page.getByLabel('Choose files').setInputFiles(Array.from({ length: 12 }, (_, at) => picture(`${at}.jpg`)));
    await page.getByText('12 of 12 uploaded').waitFor();
    await killAtAnswer('ImportImages');
    await page.getByRole('button', { name: 'Store 12 files' }).click();
    await page.getByText(away).waitFor();
    await expect.poll(() => page.getByText('Stored', { exact: true }).count(), { timeout: 60_000 }).toBe(12);
    expect(await page.getByText(away).count()).toBe(0);
    expect(await storedIn(client)).toEqual({ writes: 1, records: 12 });
    expect(faults()).toEqual([]);
    await close();
  });

  it(
    'while rows of a table are stored is said, and every row is stored once when the service is back',
    full,
    async () => {
      const { page, client, killAtAnswer, faults, close } = await openRestartable('/app/?page=import');
      const rows = Array.from({ length: 1_100 }, (_, at) => `row-${at},nagasaki-boats.jpg,The boats on the river`);
      const buffer = Buffer.from(['id,src_path,title', ...rows].join('\n'));
      await page.getByLabel('Choose files').setInputFiles([{ name: 'rows.csv', mimeType: 'text/csv', buffer }]);
      await page.getByText('10 of 10 checked rows can be stored.').waitFor();
      await killAtAnswer('ImportImages');
      await page.getByRole('button', { name: 'Store 1,100 rows' }).click();
      await page.getByText(away).waitFor();
      await page.getByText('1,100 of 1,100 rows are stored.').waitFor();
      expect((await storedIn(client)).records).toBe(1_100);
      expect(faults()).toEqual([]);
      await close();
    },
  );

  it('while records are edited is said, and each of them is changed once when the service is back', full, async () => {
    const { page, client, killAtAnswer, faults, close } = await openRestartable();
    const records = ['one', 'two'].map((id) => ({ id, src_path: 'nagasaki-boats.jpg', title: 'Boats' }));
    await client.write('POST', '/imgs?lang=en', records);
    await page.reload();
    await page.locator('main [data-id]').first().focus();
    await page.keyboard.press('x');
    await page.getByRole('button', { name: /^Select all/ }).click();
    await page.getByRole('button', { name: 'Edit …' }).click();
    await page.getByLabel('Field', { exact: true }).selectOption('city');
    await page.getByLabel('City', { exact: true }).fill('Nagasaki');
    await page.getByRole('button', { name: 'Preview changes' }).click();
    await page.getByText('2 records will change.').waitFor();
    await killAtAnswer('UpdateImages');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText(away).waitFor();
    await page.getByText('2 records were changed.').waitFor();
    expect(await storedIn(client)).toEqual({ writes: 2, records: 2 });
    for (const { id } of records) {
      const { results } = (await client.rest('GET', `/imgs/${id}/history`)).body;
      expect(results.map(({ action }: { action: string }) => action)).toEqual(['changed', 'created']);
    }
    expect(faults()).toEqual([]);
    await close();
  });
});
