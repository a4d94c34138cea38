import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { pictures, withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

describe.skipIf(browserPath === null)(`One picture in the console${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage(['objects', 'pdq', 'localFeatures']);
  }, 300_000);
  afterAll(() => stage?.close());

  const dialog = (page: Page) => page.getByRole('dialog');
  const formulaOf = (page: Page) => new URL(page.url()).searchParams.get('q') ?? '';
  const openOf = (page: Page) => new URL(page.url()).searchParams.get('open');

  it('is shown large with its fields, and by a link to it too', async () => {
    const { page, faults, close } = await stage.open();
    await page.locator('[data-id="nagasaki"]').click();
    await dialog(page).getByRole('heading', { name: 'Boats in a river, Nagasaki' }).first().waitFor();
    expect(openOf(page)).toBe('nagasaki');
    await page.reload();
    await expect
      .poll(
        () =>
          dialog(page)
            .locator('.sheet img')
            .evaluate((img: any) => img.naturalWidth),
        { timeout: 60_000 },
      )
      .toBeGreaterThan(600);
    expect(await dialog(page).getByText('Felice Beato').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    expect(openOf(page)).toBeNull();
    expect(faults).toEqual([]);
    await close();
  });

  it('is left and right of others: the keys move through the results', async () => {
    const { page, close } = await stage.open();
    await page.locator('main [data-id]').nth(5).waitFor();
    const ids = await page.locator('main [data-id]').evaluateAll((all: any[]) => all.map((each) => each.dataset.id));
    await page.locator('main [data-id]').nth(1).click();
    await dialog(page).waitFor();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => openOf(page)).toBe(ids[2]);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => openOf(page)).toBe(ids[0]);
    const side = (name: string) => dialog(page).getByRole('button', { name, disabled: true });
    await side('Previous').waitFor();
    expect(await side('Next').count()).toBe(0);
    for (const id of ids.slice(1)) {
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => openOf(page)).toBe(id);
    }
    await side('Next').waitFor();
    expect(await side('Previous').count()).toBe(0);
    await page.goBack();
    await dialog(page).waitFor({ state: 'detached' });
    await close();
  });

  it('stays until the next one has come, which it says if that takes long', full, async () => {
    const { page, close } = await stage.open('/app/?open=nagasaki');
    await dialog(page).getByRole('heading', { name: 'Boats in a river, Nagasaki' }).first().waitFor();
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('OneImage') === true) await held;
      await route.continue();
    });
    await page
      .getByRole('button', { name: /^(?:Next|Previous)/, disabled: false })
      .first()
      .click();
    await dialog(page).getByText('Loading…').waitFor();
    answer();
    await dialog(page).getByText('Loading…').waitFor({ state: 'detached' });
    expect(openOf(page)).not.toBe('nagasaki');
    await page.unrouteAll();
    await close();
  });

  it('is shown small until its large preview has come', full, async () => {
    const { page, close } = await stage.open();
    await page.locator('main [data-id="nagasaki"]').waitFor();
    let send = (): void => {};
    const held = new Promise<void>((resolve) => (send = resolve));
    const large = /\/previews\/[^/]+\/2048/;
    await page.route(large, async (route) => {
      await held;
      await route.continue();
    });
    await page.locator('main [data-id="nagasaki"]').click();
    const behind = () =>
      dialog(page)
        .locator('.sheet img')
        .evaluate((img: any) => img.style.backgroundImage as string);
    await expect.poll(behind).toMatch(/previews\/.*\/320/);
    send();
    await expect.poll(behind).toBe('');
    await page.unrouteAll();
    await close();
  });

  it('asks for its history again after a fault', async () => {
    const { page, close } = await stage.open('/app/?open=alps');
    await page.route('**/graphql', (route) => {
      const isIt = route.request().postData()?.includes('ImageHistory') === true;
      const body = JSON.stringify({ errors: [{ message: 'Broken' }] });
      return isIt ? route.fulfill({ status: 400, contentType: 'application/json', body }) : route.continue();
    });
    await dialog(page).locator('summary', { hasText: 'History' }).click();
    await dialog(page).getByText('Broken').waitFor();
    await page.unroute('**/graphql');
    await dialog(page).getByRole('button', { name: 'Try again' }).click();
    await expect
      .poll(() =>
        dialog(page)
          .getByText(/^Created · /)
          .count(),
      )
      .toBe(1);
    await close();
  });

  it('shows what was detected over it, each kind of which can be switched off', async () => {
    const { page, close } = await stage.open('/app/?open=nagasaki');
    const objects = dialog(page).locator('.detection.objects');
    await objects.first().waitFor();
    const count = await objects.count();
    await dialog(page)
      .getByRole('checkbox', { name: new RegExp(`Objects ${count}`) })
      .uncheck();
    await expect.poll(() => objects.count()).toBe(0);
    await close();
  });

  it('is changed by a finger that swipes to a side, but moved once it is zoomed', async () => {
    const { page, close } = await stage.open();
    await page.locator('main [data-id]').nth(5).waitFor();
    const ids = await page.locator('main [data-id]').evaluateAll((all: any[]) => all.map((each) => each.dataset.id));
    await page.locator('main [data-id]').nth(1).click();
    const sheet = dialog(page).locator('.frame > .sheet');
    await sheet.locator('img').waitFor();
    const touch = await page.context().newCDPSession(page);
    const box = await dialog(page).locator('.frame').boundingBox();
    const [midX, midY] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
    /** Moves fingers, each from one place to another. */
    const drag = async (fingers: readonly (readonly [x: number, y: number, toX: number, toY: number])[]) => {
      const at = (part: number) =>
        fingers.map(([x, y, toX, toY], id) => ({ id, x: midX + x + (toX - x) * part, y: midY + y + (toY - y) * part }));
      await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) });
      for (const part of [0.25, 0.5, 0.75, 1])
        await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(part) });
      await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    await drag([[100, 0, -100, 10]]);
    await expect.poll(() => openOf(page)).toBe(ids[2]);
    // A picture that arrives ends the swipe over the one before.
    await dialog(page).getByText('Loading…').waitFor({ state: 'detached' });
    await drag([[-100, 0, 100, 10]]);
    await expect.poll(() => openOf(page)).toBe(ids[1]);
    await dialog(page).getByText('Loading…').waitFor({ state: 'detached' });
    const place = async () => (await sheet.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const before = await place();
    await drag([[0, 100, 20, -100]]); // Along the page.
    await expect.poll(async () => Math.round((await place()).y)).toBe(Math.round(before.y));
    await drag([
      [-50, 0, -150, 0],
      [50, 0, 150, 0],
    ]);
    await expect.poll(async () => (await place()).width).toBeGreaterThan(before.width * 1.5);
    const zoomed = await place();
    await drag([[100, 0, -100, 0]]);
    await expect.poll(async () => (await place()).x).toBeLessThan(zoomed.x - 100);
    expect(openOf(page)).toBe(ids[1]);
    await touch.detach();
    await close();
  });

  it('zooms by keys and buttons', full, async () => {
    const { page, close } = await stage.open('/app/?open=nagasaki');
    const sheet = dialog(page).locator('.frame > .sheet');
    await sheet.waitFor();
    const width = async () => (await sheet.boundingBox())?.width ?? 0;
    await expect.poll(width).toBeGreaterThan(100);
    const before = await width();
    await page.keyboard.press('+');
    await expect.poll(width).toBeGreaterThan(before * 1.2);
    await dialog(page).getByRole('button', { name: 'Fit' }).click();
    await expect.poll(async () => Math.round(await width())).toBe(Math.round(before));
    await close();
  });

  it('is what can be searched by, whole or a part that is drawn', async () => {
    const { page, close } = await stage.open('/app/?open=alps');
    await dialog(page).getByRole('button', { name: 'Search by region' }).click();
    const sheet = await dialog(page).locator('.frame > .sheet').boundingBox();
    const [x, y, w, h] = [sheet?.x ?? 0, sheet?.y ?? 0, sheet?.width ?? 0, sheet?.height ?? 0];
    await page.mouse.move(x + w * 0.25, y + h * 0.25);
    await page.mouse.down();
    await page.mouse.move(x + w * 0.75, y + h * 0.75, { steps: 4 });
    await page.mouse.up();
    await dialog(page).getByRole('button', { name: 'Find similar' }).click();
    await expect.poll(() => formulaOf(page)).toMatch(/^i~alps@box:2[45](?:\.\d)?,2[45](?:\.\d)?,(?:49|50)(?:\.\d)?,/);
    await page.goto(`${stage.world.url}/app/?open=nagasaki`);
    await dialog(page).getByRole('button', { name: 'Find copies' }).click();
    await expect.poll(() => formulaOf(page)).toBe('i=nagasaki');
    await close();
  });

  it('is copied as a request of REST, of GraphQL or of the command line', async () => {
    const { page, close } = await stage.open('/app/?open=alps');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await dialog(page).getByRole('button', { name: 'Copy as', exact: true }).click();
    await dialog(page)
      .getByRole('button', { name: /^Copy as REST/ })
      .click();
    await dialog(page).getByRole('status').getByText('Copied').waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(copied).toBe(`curl -s '${stage.world.url}/imgs/alps' -H "API-Key: $KEY"`);
    await close();
  });

  it.each([
    { format: 'jpeg', compared: 2 },
    { format: 'tiff', compared: 0 }, // Browsers cannot show it.
  ] as const)(
    'is found by an edited copy that is given as $format, with the part that both show if that can be shown',
    async ({ format, compared }) => {
      const { page, faults, close } = await stage.open();
      const original = join(pictures, 'nagasaki-boats.jpg');
      const edited = sharp(original).flop().extract({ left: 60, top: 40, width: 600, height: 480 });
      const file = {
        name: `copy.${format}`,
        mimeType: `image/${format}`,
        buffer: await edited.toFormat(format).toBuffer(),
      };
      await page.getByRole('button', { name: 'Search by picture' }).click();
      await page.getByLabel('Choose a file').setInputFiles(file);
      await expect.poll(() => formulaOf(page), { timeout: 60_000 }).toMatch(/^i=qh_/);
      await page.locator('main [data-id="nagasaki"]').click();
      await dialog(page).getByText('Why it matches').waitFor();
      expect(await dialog(page).locator('.pair img').count()).toBe(compared);
      expect(
        await dialog(page)
          .getByText(/flipped/)
          .isVisible(),
      ).toBe(true);
      expect(faults).toEqual([]);
      await close();
    },
  );

  it('is found by a file that is dropped or pasted anywhere', async () => {
    const { page, close } = await stage.open();
    const bytes = await sharp(join(pictures, 'french-alpine-landscape.jpg')).resize(400).jpeg().toBuffer();
    for (const type of ['drop', 'paste']) {
      await page.goto(`${stage.world.url}/app/`);
      await page.locator('main [data-id]').first().waitFor();
      await page.evaluate(
        `(() => {
          const bytes = Uint8Array.from(atob(${JSON.stringify(bytes.toString('base64'))}), (sign) => sign.charCodeAt(0));
          const data = new DataTransfer();
          data.items.add(new File([bytes], 'a.jpg', { type: 'image/jpeg' }));
          const init = { bubbles: true, cancelable: true };
          const event = ${type === 'drop'} ? new DragEvent('drop', { ...init, dataTransfer: data })
            : new ClipboardEvent('paste', { ...init, clipboardData: data });
          document.body.dispatchEvent(event);
        })()`,
      );
      await expect.poll(() => formulaOf(page), { timeout: 60_000 }).toMatch(/^i=qh_/);
      await page.locator('main [data-id="alps"]').waitFor();
    }
    await close();
  });

  it('is not asked about by a file that is none, which is said', full, async () => {
    const { page, close } = await stage.open('/app/?q=boats');
    await page.locator('main [data-id]').first().waitFor();
    const drop = (name: string, type: string, bytes: number) =>
      page.evaluate(`(() => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(${bytes})], '${name}', { type: '${type}' }));
        return document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
      })()`);
    const says = (text: string) => page.getByRole('alert').getByText(text).waitFor();
    expect(await drop('notes.txt', 'text/plain', 10)).toBe(false); // The browser does not leave the page for it.
    await says('notes.txt is not a picture that can be read');
    await drop('zeros.jpg', 'image/jpeg', 10);
    await says('zeros.jpg is not a picture that can be read');
    await drop('large.jpg', 'image/jpeg', 40_000_000);
    await says('large.jpg is too large to search by');
    expect(await formulaOf(page)).toBe('boats');
    await page.getByRole('alert').getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => page.getByRole('alert').filter({ hasText: 'large' }).count()).toBe(0);
    await close();
  });

  it('says who changed what in it, once that is asked for', async () => {
    await stage.client.write('PATCH', '/imgs/alps', { city: 'Chamonix' });
    await stage.client.write('PATCH', '/imgs/alps', { city: 'Megève' });
    const { page, faults, close } = await stage.open('/app/?open=alps');
    await dialog(page).getByText('History').click();
    const changes = dialog(page).locator('ol > li');
    await changes.first().locator('ins').getByText('Megève').waitFor();
    expect(await changes.first().locator('del').allTextContents()).toEqual(['Chamonix']);
    expect(await changes.last().textContent()).toMatch(/Created/);
    expect(faults).toEqual([]);
    await close();
  });

  it('is printed with all of its fields, without what can be done with it', async () => {
    await stage.client.write('PATCH', '/imgs/alps', { caption: 'A valley with a river and snow. '.repeat(200) });
    const { page, close } = await stage.open('/app/?open=alps');
    await dialog(page).getByText('A valley with a river').waitFor();
    await page.emulateMedia({ media: 'print' });
    const details = dialog(page).getByRole('complementary');
    const [shown, whole] = (await details.evaluate((aside: any) => [
      aside.getBoundingClientRect().height,
      aside.scrollHeight,
    ])) as [number, number];
    expect(shown).toBeGreaterThanOrEqual(whole);
    await dialog(page).locator('.sheet img').waitFor();
    const names = await dialog(page).getByRole('button').allTextContents();
    expect(names).toContain('Caption'); // Names of fields edit them.
    expect(names.filter((name) => name === '' || name.includes('empty'))).toEqual([]);
    expect(await page.getByRole('main').isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
    await close();
  });

  it('says that it is not there', async () => {
    const { page, close } = await stage.open('/app/?open=nothing');
    await dialog(page).getByText('This record does not exist').waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Find copies' }).count()).toBe(0);
    await close();
  });
});
