import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { makeClip, steady } from '../support/clips.ts';
import { withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

describe.skipIf(browserPath === null)(`Videos in the console${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage(['embedded']);
    const { media } = stage.world;
    const size = { width: 320, height: 180, times: steady(40, 10) };
    writeFileSync(
      join(media, 'bars.webm'),
      await makeClip({ ...size, codec: 'vp8', tags: { description: 'Bars that move' } }),
    );
    // Chromium plays no HEVC without help of the machine.
    writeFileSync(join(media, 'unknown.mp4'), await makeClip({ ...size, format: 'mp4', codec: 'hevc' }));
    await stage.client.write('POST', '/vids?lang=en', [
      { id: 'pan', src_path: 'nagasaki-pan.mp4', title: 'A pan' },
      { id: 'bars', src_path: 'bars.webm', title: 'Bars' },
      { id: 'unknown', src_path: 'unknown.mp4', title: 'Unknown' },
    ]);
  }, 300_000);
  afterAll(() => stage?.close());

  const tile = (page: Page, id: string) => page.locator(`main [data-id="${id}"]`);
  const frameOf = async (page: Page, id: string) =>
    Number((await tile(page, id).locator('.filmstrip').getAttribute('data-frame')) ?? -1);
  const dialog = (page: Page) => page.getByRole('dialog');
  const player = (page: Page) => dialog(page).locator('video');
  const isPlaying = (page: Page) => player(page).evaluate((video: any) => !video.paused && video.currentTime > 0);

  it(
    'are looked through by the pointer, from their beginning on the left to their end on the right',
    full,
    async () => {
      const { page, faults, close } = await stage.open('/app/?kind=video');
      await tile(page, 'pan').locator('.loaded img').waitFor();
      const box = await tile(page, 'pan').boundingBox();
      const at = (share: number) => [(box?.x ?? 0) + (box?.width ?? 0) * share, (box?.y ?? 0) + 40] as const;
      await page.mouse.move(...at(0.02));
      await expect.poll(() => frameOf(page, 'pan')).toBe(0);
      await page.mouse.move(...at(0.55));
      await expect.poll(() => frameOf(page, 'pan')).toBe(5);
      await page.mouse.move(...at(0.99));
      await expect.poll(() => frameOf(page, 'pan')).toBe(9);
      await page.mouse.move(0, 0);
      await expect.poll(() => page.locator('.filmstrip').count()).toBe(0);
      expect(faults).toEqual([]);
      await close();
    },
  );

  it('show one frame after the other to who reaches them by keys, but not to who wants less motion', full, async () => {
    const { page, close } = await stage.open('/app/?kind=video');
    await tile(page, 'bars').waitFor();
    const focus = () => page.keyboard.press('ArrowRight').then(() => page.keyboard.press('ArrowLeft'));
    await tile(page, 'bars').focus();
    await focus();
    const id = await page.evaluate('document.activeElement.dataset.id');
    await expect.poll(() => frameOf(page, id as string)).toBe(0);
    await page.waitForTimeout(1500);
    expect(await frameOf(page, id as string)).toBe(0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.keyboard.press('ArrowRight');
    const next = await page.evaluate('document.activeElement.dataset.id');
    await expect.poll(() => frameOf(page, next as string), { timeout: 10_000 }).toBeGreaterThan(1);
    await close();
  });

  it('are downloaded under their ids, with one ending', full, async () => {
    await stage.client.write('POST', '/vids?lang=en', [{ id: 'clips:own.webm', src_path: 'bars.webm' }]);
    const nameOf = async (id: string) => {
      const { page, close } = await stage.open(`/app/?kind=video&open=${id}`);
      const name = await page.getByRole('link', { name: /Download/ }).getAttribute('download');
      await close();
      return name;
    };
    expect(await nameOf('clips:own.webm')).toBe('clips:own.webm');
    expect(await nameOf('bars')).toBe('bars.webm');
  });

  it('are played, by the space bar too, and sought in', async () => {
    const { page, faults, close } = await stage.open('/app/?kind=video');
    await tile(page, 'bars').click();
    await expect.poll(() => player(page).evaluate((video: any) => video.duration)).toBeCloseTo(4, 0);
    await page.keyboard.press('Space');
    await expect.poll(() => isPlaying(page)).toBe(true);
    await page.keyboard.press('Space');
    await expect.poll(() => player(page).evaluate((video: any) => video.paused)).toBe(true);
    await player(page).evaluate((video: any) => void (video.currentTime = 3));
    await expect.poll(() => player(page).evaluate((video: any) => !video.seeking && video.currentTime)).toBe(3);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => new URL(page.url()).searchParams.get('open')).not.toBe('bars');
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await close();
  });

  it('say which values are from their file', async () => {
    const { page, close } = await stage.open('/app/?kind=video&open=bars');
    await dialog(page).getByText('Bars that move').waitFor();
    expect(await dialog(page).locator('small').allTextContents()).toEqual(['from metadata of the file']);
    await close();
  });

  it('keep the arrow keys for themselves while the player has the focus', async () => {
    const { page, close } = await stage.open('/app/?kind=video&open=bars');
    await player(page).focus();
    await page.keyboard.press('ArrowRight');
    expect(new URL(page.url()).searchParams.get('open')).toBe('bars');
    await close();
  });

  it('that the browser cannot play show their poster, say so and can be downloaded', async () => {
    const { page, close } = await stage.open('/app/?kind=video&open=unknown');
    await dialog(page).getByText('This browser cannot play this video.').waitFor();
    await expect
      .poll(() =>
        dialog(page)
          .getByRole('img', { name: 'Unknown' })
          .evaluate((img: any) => img.naturalWidth),
      )
      .toBe(320);
    const started = page.waitForEvent('download');
    await dialog(page).getByRole('status').getByRole('link', { name: 'Download' }).click();
    expect((await started).suggestedFilename()).toBe('unknown.mp4');
    await close();
  });
});
