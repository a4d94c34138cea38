import { afterAll, describe, expect, it } from 'vitest';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { violationsOf, withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

const path = '/app/?page=collections';
const videos = ['first', 'second'];

describe.skipIf(browserPath === null)(`Collections in the console${whyNoBrowser}`, { timeout: 300_000 }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage();
    await stage.client.graphql(
      `mutation { createCollection(name: "Wall") { name }
        addToCollection(name: "Wall", ids: ["alps", "nagasaki", "airplane"]) { changed } }`,
    );
  });
  afterAll(() => stage?.close());

  const order = async (name: string) => {
    const q = `collection:${name}`;
    const document =
      'query ($q: String!) { images(q: $q, sortBy: collection, sortOrder: asc) { results { imageId } } }';
    const { data } = await stage.client.graphql(document, { q });
    return data.images.results.map(({ imageId }: { imageId: string }) => imageId);
  };

  it('begins with pictures that were selected, and is shown as results in its order', async () => {
    const { page, faults, close } = await stage.open();
    await page.getByRole('checkbox').first().check();
    await page.getByRole('checkbox').nth(1).check();
    const bar = page.getByRole('toolbar');
    const open = bar.getByRole('button', { name: 'Add to collection …' });
    await open.click();
    await page.keyboard.type('Not this one');
    await bar.getByRole('button', { name: 'Cancel' }).click();
    await open.click();
    expect(await bar.getByLabel('Name of the collection').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await page.getByText('2 selected').waitFor();
    await open.click();
    await bar.getByLabel('Name of the collection').fill('Covers');
    await bar.getByRole('button', { name: 'Add' }).click();
    await bar.getByText('2 added to Covers').waitFor();
    expect(await order('Covers')).toHaveLength(2);
    await page.getByRole('link', { name: 'Collections' }).click();
    await page.getByText('2 pictures, 0 videos').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Covers', exact: true }).click();
    await page.waitForURL(/q=collection%3ACovers&sort=collection&order=asc/);
    expect(faults).toEqual([]);
    await close();
  });

  it('has an order that another search leaves', async () => {
    const { page, faults, close } = await stage.open('/app/?q=collection:Wall&sort=collection&order=asc');
    await page.getByText('3 pictures').waitFor();
    expect(await page.getByLabel('Sort by').locator('option:checked').textContent()).toBe('Order');
    await page.locator('[data-id="nagasaki"]').click();
    await page.getByRole('dialog').getByRole('link', { name: 'Japan' }).click();
    await page.getByText('1 picture', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.has('sort')).toBe(false);
    expect(faults).toEqual([]);
    await close();
  });

  it('shows one of its pictures among the others, and is there again when the picture is closed', async () => {
    const { page, close } = await stage.open(`${path}&collection=Wall`);
    const [first = '', second] = await order('Wall');
    await page.locator(`ol [data-id="${first}"]`).click();
    await page.getByRole('dialog').getByRole('heading').first().waitFor();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL((url) => url.searchParams.get('open') === second);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Wall' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await close();
  });

  it('is ordered by keys, by buttons and by dragging', async () => {
    const { page, faults, close } = await stage.open(`${path}&collection=Wall`);
    const picture = (name: RegExp) => page.getByRole('link', { name });
    await picture(/^1\. Alpine/).focus();
    await page.keyboard.press('Alt+ArrowRight');
    await picture(/^2\. Alpine/).waitFor();
    expect(await picture(/^2\. Alpine/).evaluate((element) => element === element.ownerDocument.activeElement)).toBe(
      true,
    );
    await expect.poll(() => order('Wall')).toEqual(['nagasaki', 'alps', 'airplane']);
    await page.getByRole('button', { name: 'Move Alpine landscape later' }).click();
    await expect.poll(() => order('Wall')).toEqual(['nagasaki', 'airplane', 'alps']);
    await picture(/Alpine/).dragTo(picture(/^1\. /));
    await expect.poll(() => order('Wall')).toEqual(['alps', 'nagasaki', 'airplane']);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove Alpine landscape' }).click();
    await expect.poll(() => order('Wall')).toEqual(['nagasaki', 'airplane']);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(faults).toEqual([]);
    await close();
  });

  it('is ordered by a finger that rests before it moves, and scrolled by one that does not', async () => {
    await stage.client.graphql(
      `mutation { createCollection(name: "Touched") { name }
        addToCollection(name: "Touched", ids: ["alps", "nagasaki", "airplane"]) { changed } }`,
    );
    const { page, faults, close } = await stage.open(`${path}&collection=Touched`);
    const touch = await page.context().newCDPSession(page);
    const middleOf = async (name: RegExp) => {
      const { x, y, width, height } = await page.getByRole('link', { name }).evaluate((a) => a.getBoundingClientRect());
      return { x: x + width / 2, y: y + height / 2 };
    };
    const drag = async (from: RegExp, to: RegExp, restMs: number) => {
      const [start, end] = [await middleOf(from), await middleOf(to)];
      await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [start] });
      await page.waitForTimeout(restMs);
      for (const part of [0.25, 0.5, 0.75, 1]) {
        const point = { x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part };
        await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] });
      }
      await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    await page.getByRole('link', { name: /^3\. / }).waitFor();
    await drag(/^1\. /, /^3\. /, 600);
    await expect.poll(() => order('Touched')).toEqual(['nagasaki', 'airplane', 'alps']);
    await drag(/^1\. /, /^3\. /, 0);
    await page.getByRole('link', { name: /^1\. Boats/ }).waitFor();
    expect(await order('Touched')).toEqual(['nagasaki', 'airplane', 'alps']);
    expect(new URL(page.url()).searchParams.get('collection')).toBe('Touched');
    await touch.detach();
    expect(faults).toEqual([]);
    await close();
  });

  it('takes all results of a search, also those that it has not read, in their order', full, async () => {
    const { page, close } = await stage.open('/app/?q=date:..1940&sort=title&order=asc');
    await page.getByRole('checkbox').first().check();
    const bar = page.getByRole('toolbar');
    await bar.getByRole('button', { name: /^Select all \d$/ }).click();
    await bar.getByRole('button', { name: 'Add to collection …' }).click();
    await bar.getByLabel('Name of the collection').fill('Old');
    await bar.getByRole('button', { name: 'Add' }).click();
    await bar.getByText(/^\d added to Old$/).waitFor();
    const { data } = await stage.client.graphql(
      '{ images(q: "date:..1940", sortBy: title, sortOrder: asc) { results { imageId } } }',
    );
    const ids = data.images.results.map(({ imageId }: { imageId: string }) => imageId);
    expect(ids.length).toBeGreaterThan(1);
    expect(await order('Old')).toEqual(ids);
    await close();
  });

  it('orders its videos, too', full, async () => {
    const { client } = stage;
    for (const id of videos)
      await client.write('POST', `/vids/${id}?lang=en`, { src_path: 'nagasaki-pan.mp4', title: id });
    const document = `mutation ($ids: [String!]!) { addToCollection(name: "Wall", resource: video, ids: $ids) { changed } }`;
    await client.graphql(document, { ids: videos });
    const { page, faults, close } = await stage.open(`${path}&collection=Wall`);
    await page.getByRole('navigation', { name: 'Wall' }).getByRole('link', { name: 'Videos' }).click();
    await page.getByRole('button', { name: 'Move first later' }).click();
    await page.getByRole('link', { name: '2. first' }).waitFor();
    const listed = async () => {
      const { data } = await client.graphql(
        '{ videos(q: "collection:Wall", sortBy: collection, sortOrder: asc) { results { id } } }',
      );
      return data.videos.results.map(({ id }: { id: string }) => id);
    };
    await expect.poll(listed).toEqual(['second', 'first']);
    await page.getByRole('button', { name: 'Remove first' }).click();
    await expect.poll(listed).toEqual(['second']);
    expect(faults).toEqual([]);
    await close();
  });

  it('is renamed and deleted when that is confirmed', async () => {
    await stage.client.graphql('mutation { createCollection(name: "Former") { name } }');
    const { page, close } = await stage.open(path);
    const acts = (name: string) => page.getByRole('group', { name });
    await acts('Former').getByRole('button', { name: 'Rename …' }).click();
    await acts('Former').getByLabel('New name').fill('Wall');
    await acts('Former').getByRole('button', { name: 'Save' }).click();
    await acts('Former').getByRole('alert').getByText(`A collection 'Wall' already exists`).waitFor();
    await acts('Former').getByLabel('New name').fill('Later');
    await acts('Former').getByRole('button', { name: 'Save' }).click();
    await acts('Later').getByRole('button', { name: 'Delete …' }).click();
    await acts('Later').getByRole('button', { name: 'Delete now' }).click();
    await acts('Later').waitFor({ state: 'detached' });
    const { data } = await stage.client.graphql('{ later: collection(name: "Later") { name } }');
    expect(data.later).toBeNull();
    await close();
  });

  it('tells a viewer who finds none nothing that the role does not allow', async () => {
    const { key } = await stage.world.client({ tenant: `${stage.tenant}-empty`, role: 'viewer' });
    const { page, close } = await stage.open(path, { key });
    await expect.poll(() => page.getByRole('main').getByRole('status').textContent()).toBe('No collections yet.');
    await close();
  });

  it('shows a viewer no button that fails', async () => {
    const { key } = await stage.world.client({ tenant: stage.tenant, role: 'viewer' });
    const { page, close } = await stage.open(path, { key });
    await page.getByRole('link', { name: 'Order' }).first().click();
    await page.getByRole('link', { name: /^1\. / }).waitFor();
    for (const name of [/^Remove/, /Move/, /Rename/, /Delete/])
      expect(await page.getByRole('button', { name }).count(), String(name)).toBe(0);
    await page.goto(`${stage.world.url}/app/`);
    await page.getByRole('checkbox').first().check();
    for (const name of ['Add to collection …', 'Edit', 'Delete'])
      expect(await page.getByRole('toolbar').getByRole('button', { name }).count(), name).toBe(0);
    await close();
  });

  it('has saved formulas beside it, which are renamed and deleted in their list', full, async () => {
    const saved = async () =>
      (await stage.client.graphql('{ savedFormulas { results { name } } }')).data.savedFormulas.results;
    await stage.client.graphql(`mutation { a: saveFormula(name: "Old", formula: "date:..1900") { name }
      b: saveFormula(name: "Taken", formula: "boats") { name } }`);
    const { page, close } = await stage.open();
    await page.getByRole('button', { name: /Saved/ }).click();
    const acts = (name: string) => page.getByRole('group', { name });
    await acts('Old').getByRole('button', { name: 'Rename …' }).click();
    await acts('Old').getByLabel('New name').fill('Taken');
    await acts('Old').getByRole('button', { name: 'Save' }).click();
    await acts('Old').getByText(`A formula 'Taken' already exists`).waitFor();
    await acts('Old').getByLabel('New name').fill('Older');
    await acts('Old').getByRole('button', { name: 'Save' }).click();
    await acts('Older').getByRole('button', { name: 'Delete …' }).click();
    await acts('Older').getByRole('button', { name: 'Delete now' }).click();
    await expect.poll(saved).toEqual([{ name: 'Taken' }]);
    await close();
  });
});
