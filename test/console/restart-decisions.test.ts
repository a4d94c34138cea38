import { describe, expect, it } from 'vitest';
import { full } from '../support/effort.ts';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import type { Client } from '../support/world.ts';
import { openRestartable } from './restartable.ts';

const away = 'The service is not available. This continues automatically';
const boats = { src_path: 'nagasaki-boats.jpg', title: 'Boats' };

/** What was written to a record, the newest first. */
async function historyOf(client: Client, id: string): Promise<string[]> {
  const { results } = (await client.rest('GET', `/imgs/${id}/history`)).body;
  return results.map(({ action }: { action: string }) => action);
}

type Written = Readonly<{ operation_id: number; fields: readonly Readonly<{ field: string }>[] }>;

async function idsIn(client: Client, q: string): Promise<string[]> {
  const found = await client.rest('GET', `/imgs?fields=image_id&q=${encodeURIComponent(q)}`);
  return found.body.results.map((row: { image_id: string }) => row.image_id).toSorted();
}

describe.skipIf(browserPath === null)(`A kill of the service${whyNoBrowser}`, { tags: ['browser'] }, () => {
  it('while duplicates are merged, and while that is undone, is said, and both are done once', full, async () => {
    const { page, url, client, killAtAnswer, faults, close } = await openRestartable();
    await client.write('POST', '/imgs?lang=en&on_duplicate=flag', [
      { id: 'kept', ...boats },
      { id: 'copy', ...boats, city: 'Nagasaki' },
      { id: 'third', ...boats, keywords: ['harbor'] },
    ]);
    await client.write('POST', '/duplicates');
    await page.goto(`${url}/app/?page=duplicates`);
    await page.getByText('0 of 1 reviewed').waitFor();
    await page.getByRole('button', { name: /^Keep this one/ }).click();
    await killAtAnswer('MergeImages');
    await page.getByRole('button', { name: 'Keep, delete 2' }).click();
    await page.getByText(away).first().waitFor();
    await page.getByText('2 duplicates were merged and deleted.').waitFor();
    const [left = ''] = await idsIn(client, '');
    expect(await idsIn(client, '')).toEqual([left]);
    expect((await client.rest('GET', `/imgs/${left}?fields=city&fields=keywords`)).body).toMatchObject({
      city: 'Nagasaki',
      keywords: ['harbor'],
    });
    const merged = (await historyOf(client, left)).length;
    await page.unroute('**/graphql');
    await killAtAnswer('UndoOperation');
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText(away).first().waitFor();
    await page.getByText('0 of 1 reviewed').waitFor();
    await expect.poll(() => idsIn(client, '')).toEqual(['copy', 'kept', 'third']);
    expect(await historyOf(client, left)).toHaveLength(merged + 1);
    expect(await page.getByText(away).count()).toBe(0);
    expect(faults()).toEqual([]);
    await close();
  });

  it('in the middle of the transaction that merges duplicates is said, and they are merged once', full, async () => {
    const { page, url, client, killAtDelete, faults, close } = await openRestartable();
    await client.write('POST', '/imgs?lang=en&on_duplicate=flag', [
      { id: 'kept', ...boats, keywords: ['harbor'] },
      { id: 'copy', ...boats, city: 'Nagasaki' },
    ]);
    await client.write('POST', '/duplicates');
    await page.goto(`${url}/app/?page=duplicates`);
    await page.getByRole('button', { name: /^Keep this one/ }).click();
    const { isKilled } = await killAtDelete();
    await page.getByRole('button', { name: 'Keep, delete 1' }).click();
    await isKilled;
    await page.getByText('1 duplicate was merged and deleted.').waitFor();
    const [left = ''] = await idsIn(client, '');
    expect(await idsIn(client, '')).toEqual([left]);
    expect((await client.rest('GET', `/imgs/${left}?fields=city&fields=keywords`)).body).toMatchObject({
      city: 'Nagasaki',
      keywords: ['harbor'],
    });
    const written = (await client.rest('GET', `/imgs/${left}/history`)).body.results as Written[];
    const fields = written
      .filter(({ operation_id: id }) => id === written[0]?.operation_id)
      .flatMap((each) => each.fields.map(({ field }) => field));
    expect(fields.toSorted()).toEqual(['duplicate_of', 'keywords']);
    expect(faults()).toEqual([]);
    await close();
  });

  it('while an operation is undone from its page is said, and it is undone once', full, async () => {
    const { page, url, client, killAtAnswer, faults, close } = await openRestartable();
    await client.write('POST', '/imgs?lang=en', [{ id: 'boats', ...boats }]);
    const { operation_id: id } = await client.write('PATCH', '/imgs', [{ id: 'boats', title: 'Wrong' }]);
    await page.goto(`${url}/app/?page=operations&operation=${id}`);
    await page.getByRole('button', { name: 'Undo …' }).click();
    await page.getByText('1 record will be restored to its earlier state.').waitFor();
    await killAtAnswer('UndoOperation');
    await page.getByRole('button', { name: 'Undo now' }).click();
    await page.getByText(away).waitFor();
    await page.locator('ins', { hasText: 'Boats' }).waitFor();
    expect((await client.rest('GET', '/imgs/boats')).body.title).toBe('Boats');
    expect(await historyOf(client, 'boats')).toHaveLength(3);
    expect(faults()).toEqual([]);
    await close();
  });

  it.each(['CreateCollection', 'AddToCollection'])(
    'while pictures are put into a new collection (%s) is said, and all of them are in it once',
    full,
    async (document) => {
      const { page, client, killAtAnswer, faults, close } = await openRestartable();
      await client.write(
        'POST',
        '/imgs?lang=en',
        ['one', 'two', 'three'].map((id) => ({ id, ...boats })),
      );
      await page.reload();
      await page.getByRole('checkbox').first().check();
      await page.getByRole('button', { name: /^Select all/ }).click();
      await page.getByRole('button', { name: 'Add to collection …' }).click();
      await page.getByLabel('Name of the collection').fill('Wall');
      await killAtAnswer(document);
      await page.getByRole('button', { name: 'Add' }).click();
      await page.getByText(away).waitFor();
      await page.getByText('3 added to Wall').waitFor();
      expect(await page.getByText(away).count()).toBe(0);
      expect(await idsIn(client, 'collection:Wall')).toEqual(['one', 'three', 'two']);
      expect(faults()).toEqual([]);
      await close();
    },
  );

  it('while a collection is ordered is said, and it has the order that was shown', full, async () => {
    const { page, url, client, killAtAnswer, faults, close } = await openRestartable();
    const ids = ['one', 'two', 'three'];
    await client.write(
      'POST',
      '/imgs?lang=en',
      ids.map((id) => ({ id, ...boats, title: id })),
    );
    await client.graphql(
      `mutation { createCollection(name: "Wall") { name }
        addToCollection(name: "Wall", ids: ["one", "two", "three"]) { changed } }`,
    );
    await page.goto(`${url}/app/?page=collections&collection=Wall`);
    await killAtAnswer('MoveInCollection');
    await page.getByRole('button', { name: 'Move one later' }).click();
    await page.getByText(away).waitFor();
    await page.getByRole('button', { name: 'Remove three' }).click();
    await expect.poll(() => page.getByText(away).count(), { timeout: 60_000 }).toBe(0);
    const sorted = () =>
      client.graphql('{ images(q: "collection:Wall", sortBy: collection, sortOrder: asc) { results { imageId } } }');
    await expect
      .poll(async () => (await sorted()).data.images.results.map(({ imageId }: { imageId: string }) => imageId))
      .toEqual(['two', 'one']);
    expect(faults()).toEqual([]);
    await close();
  });
});
