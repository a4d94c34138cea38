import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { pictures, violationsOf, withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

type Proposal = Readonly<{ field: string; values: readonly string[] }>;
type Reviewed = Readonly<{ caption: string | null; keywords: string[] | null; proposals: readonly Proposal[] }>;

describe.skipIf(browserPath === null)(
  `What the analysis proposes, in the console${whyNoBrowser}`,
  { tags: ['browser'] },
  () => {
    let stage: Stage;
    let caption: string;
    let keywords: readonly string[];
    withStages.beforeAll(async ({ openStage }) => {
      stage = await openStage(['objects', 'colors', 'shape', 'concepts', 'caption']);
      const original = sharp(join(pictures, 'nagasaki-boats.jpg'));
      await original.grayscale().toFile(join(stage.world.media, 'gray.jpg'));
    }, 300_000);
    afterAll(() => stage?.close());
    beforeEach(async () => {
      await stage.client.write('PUT', '/imgs/gray?lang=en&upsert=true', { src_path: 'gray.jpg' });
      const valuesOf = (field: string, all: readonly Proposal[]) =>
        all.find((each) => each.field === field)?.values ?? [];
      const { proposals } = await read();
      [caption, keywords] = [valuesOf('caption', proposals)[0] ?? '', valuesOf('keywords', proposals)];
    });

    const read = async (): Promise<Reviewed> =>
      (await stage.client.graphql('{ image(id: "gray") { caption keywords lockedFields proposals { field values } } }'))
        .data.image;
    const proposed = (page: Page, field: string) =>
      page.getByRole('region', { name: `${field}: Proposed by the analysis` });
    const open = () => stage.open('/app/?open=gray');

    it('is accepted as a whole, and undone by Ctrl+Z', async () => {
      expect([caption, keywords]).toEqual([expect.stringContaining('person'), ['black and white', 'person']]);
      const { page, faults, close } = await open();
      await proposed(page, 'Caption').getByText(caption).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await proposed(page, 'Caption').getByRole('button', { name: 'Accept' }).click();
      await page.getByText('Caption was accepted.').waitFor();
      expect((await read()).caption).toBe(caption);
      await proposed(page, 'Keyword').getByRole('button', { name: 'Accept all' }).click();
      await expect.poll(async () => (await read()).keywords).toEqual(keywords);
      await proposed(page, 'Keyword').waitFor({ state: 'detached' });
      await page.keyboard.press('Control+z');
      await expect.poll(async () => (await read()).keywords).toBeNull();
      await proposed(page, 'Keyword').waitFor();
      expect(faults).toEqual([]);
      await close();
    });

    it(
      'is judged keyword by keyword; one that was refused does not come back with the next analysis',
      full,
      async () => {
        const { page, close } = await open();
        const [first = '', second = ''] = keywords;
        await proposed(page, 'Keyword')
          .getByRole('button', { name: `Accept ${first}`, exact: true })
          .click();
        await expect.poll(async () => (await read()).keywords).toEqual([first]);
        await page.getByRole('button', { name: `Accept ${first}`, exact: true }).waitFor({ state: 'detached' });
        await proposed(page, 'Keyword')
          .getByRole('button', { name: `Refuse ${second}`, exact: true })
          .click();
        await page.getByRole('button', { name: `Refuse ${second}`, exact: true }).waitFor({ state: 'detached' });
        const again =
          'mutation { r: analyzeImages(ids: ["gray"], force: true, wait: true, waitSeconds: 120) { __typename } }';
        expect((await stage.client.graphql(again)).data.r).toEqual({ __typename: 'Operation' });
        expect((await read()).keywords).toEqual([first]);
        expect(JSON.stringify((await read()).proposals)).not.toContain(`"${second}"`);
        await close();
      },
    );

    it('is edited before it is accepted', full, async () => {
      const { page, close } = await open();
      await proposed(page, 'Caption').getByRole('button', { name: 'Edit' }).click();
      const input = page.getByRole('dialog').getByLabel('Caption', { exact: true });
      expect(await input.inputValue()).toBe(caption);
      await input.fill('Boats in black and white.');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await expect.poll(async () => (await read()).caption).toBe('Boats in black and white.');
      await proposed(page, 'Caption').waitFor({ state: 'detached' });
      await close();
    });

    it('is refused by a lock where it is a text, and comes back when the field is unlocked', async () => {
      const { page, close } = await open();
      await proposed(page, 'Caption').getByRole('button', { name: 'Refuse' }).click();
      await page.getByText('Caption was refused.').waitFor();
      await proposed(page, 'Caption').waitFor({ state: 'detached' });
      expect(await read()).toMatchObject({ caption: null, lockedFields: ['caption'] });
      await page.getByRole('button', { name: 'Edit Caption', exact: true }).click();
      await page.getByRole('button', { name: 'Unlock' }).click();
      await page.getByText('Caption was unlocked.').waitFor();
      await page.getByRole('button', { name: 'Lock', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await proposed(page, 'Caption').waitFor();
      await close();
    });

    it('is shown to viewers as part of the analysis, with nothing to judge', async () => {
      const viewer = await stage.world.client({ role: 'viewer', tenant: stage.tenant });
      const { page, close } = await stage.open('/app/?open=gray', { key: viewer.key });
      await page.getByRole('dialog').getByText(caption).waitFor();
      expect(await page.getByRole('button', { name: /^(Accept|Refuse|Lock)/ }).count()).toBe(0);
      await close();
    });
  },
);
