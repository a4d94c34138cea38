import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { packageRoot } from '../../src/lib/package-root.ts';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { firstOf, full } from '../support/effort.ts';
import { violationsOf, withStages } from './support.ts';
import type { Stage } from './support.ts';

const assets = join(packageRoot, 'dist', 'console', 'assets');

/** The scripts that a script of the built console imports, always or when they are needed. */
function importsOfBundle(name: string): { always: string[]; later: string[] } {
  const text = readFileSync(join(assets, name), 'utf8');
  const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);
  return {
    always: all(/(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g),
    later: all(/import\(\s*["'`]\.\/([^"'`]+\.js)["'`]/g),
  };
}

/** Scripts with all that they import; `leave` is not followed, where it is only loaded when it is needed. */
function loadedWith(names: readonly string[], leave: (name: string) => boolean): ReadonlySet<string> {
  const loaded = new Set(names);
  for (const name of loaded) {
    const { always, later } = importsOfBundle(name);
    for (const each of [...always, ...later.filter((other) => !leave(other))]) loaded.add(each);
  }
  return loaded;
}

describe('The scripts of the console', () => {
  const files = readdirSync(assets).filter((name) => name.endsWith('.js'));
  const shell = readFileSync(join(packageRoot, 'console', 'src', 'shell', 'Shell.svelte'), 'utf8');
  const pages = [...shell.matchAll(/import\('[^']*\/(\w+)\.svelte'\)/g)].map(([, name = '']) => name);
  const isPage = (name: string) => pages.some((page) => name.startsWith(`${page}-`));
  const entry = files.filter((name) => name.startsWith('index-'));

  it.each(['search', ...pages])('weigh 350 kB at most for the page %s, with all that it may load later', (page) => {
    const own = files.filter((name) => name.startsWith(`${page}-`));
    const scripts = loadedWith([...entry, ...own], isPage);
    const bytes = [...scripts].map((name) => gzipSync(readFileSync(join(assets, name))).length);
    expect([entry.length, own.length]).toEqual([1, page === 'search' ? 0 : 1]);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(350 * 1024);
  });

  it('are all counted', () => {
    const known = loadedWith([...entry, ...files.filter(isPage)], isPage);
    expect(files.filter((name) => !known.has(name))).toEqual([]);
    expect(importsOfBundle(entry[0] ?? '').later.filter(isPage).length).toBe(pages.length);
    expect(pages.length).toBeGreaterThan(3);
  });
});

describe.skipIf(browserPath === null)(`What the console looks like${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage();
    await stage.client.write('POST', '/vids?lang=en', [{ id: 'pan', src_path: 'nagasaki-pan.mp4', title: 'A pan' }]);
  });
  afterAll(() => stage?.close());

  // A run of all includes those that differ little from others.
  const states = [
    ['the grid', '/app/', (page: Page) => page.locator('main [data-id]').first().waitFor()],
    ['a picture', '/app/?open=nagasaki', (page: Page) => page.getByRole('dialog').locator('.frame > .sheet').waitFor()],
    ['a mistake', '/app/?q=contry:x', (page: Page) => page.getByText('Did you mean country?').first().waitFor()],
    ['a video', '/app/?kind=video&open=pan', (page: Page) => page.getByRole('dialog').locator('video').waitFor()],
    ['the import', '/app/?page=import', (page: Page) => page.getByText('Choose a folder').waitFor()],
    ['the keys', '/app/?page=admin', (page: Page) => page.locator('main li').first().waitFor()],
    ['the operations', '/app/?page=operations', (page: Page) => page.getByText('Add 6 pictures').waitFor()],
    ['sign-in', '/app/', (page: Page) => page.getByLabel('API key').waitFor()],
    ['the list', '/app/?view=list', (page: Page) => page.locator('main [data-id]').first().waitFor()],
    ['a search', '/app/?q=country:Japan', (page: Page) => page.getByText('1 picture').waitFor()],
    ['nothing found', '/app/?q=zebra', (page: Page) => page.getByText('No results').waitFor()],
    ['the audit trail', '/app/?page=admin&tab=audit', (page: Page) => page.locator('main li').first().waitFor()],
    ['no duplicates', '/app/?page=duplicates', (page: Page) => page.getByText('No duplicate search yet').waitFor()],
    ['videos', '/app/?kind=video', (page: Page) => page.locator('main [data-id]').first().waitFor()],
  ] as const;
  const inTheDark = firstOf(2, ['a picture', 'a mistake', 'the list', ...states.map(([name]) => name)]);

  it.each(firstOf(8, states))(
    'breaks no rule of accessibility, in the dark too, and fits 320 pixels: %s',
    async (name, path, ready) => {
      const { page, faults, close } = await stage.open(path, name === 'sign-in' ? { key: null } : {});
      await ready(page);
      expect(await violationsOf(page)).toEqual([]);
      if (inTheDark.includes(name)) {
        await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
        await expect.poll(() => violationsOf(page)).toEqual([]); // Colors change within a moment.
      }
      expect(faults.filter((fault) => name !== 'a mistake' || !fault.includes('400'))).toEqual([]);
      await page.setViewportSize({ width: 320, height: 640 });
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
      await close();
    },
  );

  it('speaks Spanish where that is chosen, the names of fields too', full, async () => {
    const { page, close } = await stage.open();
    await page.getByRole('button', { name: 'Account and settings' }).click();
    await page.getByLabel('Language').selectOption('es');
    await page.getByText('6 imágenes').waitFor();
    await page.locator('summary', { hasText: 'País' }).waitFor();
    await page.goto(`${stage.world.url}/app/?q=country:Japan`);
    await page.getByText('Imágenes que').waitFor();
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('es');
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(`${stage.world.url}/app/?page=admin`);
    await page.getByRole('link', { name: 'Sistema' }).waitFor();
    expect(await page.evaluate('document.querySelector("main").scrollWidth')).toBeLessThanOrEqual(320);
    await page.goto(`${stage.world.url}/app/?page=duplicates`);
    await page.getByText('Todavía no se han buscado duplicados').waitFor();
    expect(await page.evaluate('document.querySelector("main").scrollWidth')).toBeLessThanOrEqual(320);
    await close();
  });

  it('shows the search by a picture within the window of a phone', async () => {
    const { page, close } = await stage.open();
    await page.setViewportSize({ width: 320, height: 640 });
    await page.getByRole('button', { name: 'Search by picture' }).click();
    const box = await page.locator('.panel', { hasText: 'choose a file' }).boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(320);
    await close();
  });

  it('marks the page that is shown among the links to pages', async () => {
    const { page, close } = await stage.open('/app/?page=import');
    const background = (name: string) =>
      page
        .getByRole('link', { name })
        .evaluate((link) => link.ownerDocument.defaultView?.getComputedStyle(link).backgroundColor);
    await page.getByText('Choose a folder').waitFor();
    expect(await background('Import')).not.toBe(await background('Operations'));
    await close();
  });

  /** Where the rows of buttons begin. */
  const rowsOf = async (bar: Locator) =>
    new Set(
      await bar.locator('button').evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().top))),
    );

  it('keeps the first pictures below what is selected, also when the window becomes narrow', async () => {
    const { page, close } = await stage.open();
    await page.getByRole('checkbox').first().check();
    await page.setViewportSize({ width: 390, height: 844 });
    const gap = async () => {
      const [bar, first] = [
        await page.getByRole('toolbar').boundingBox(),
        await page.locator('main [data-id]').first().boundingBox(),
      ];
      return (first?.y ?? 0) - (bar?.y ?? 0) - (bar?.height ?? 0);
    };
    await expect.poll(gap).toBeLessThan(20);
    expect(await gap()).toBeGreaterThanOrEqual(0);
    await close();
  });

  it('shows on a touch screen, where nothing is pointed at, where results are selected', async () => {
    const { page, close } = await stage.open();
    const select = page.locator('main .select').first();
    await select.waitFor();
    const border = () => select.evaluate((box: any) => box.ownerDocument.defaultView.getComputedStyle(box).borderColor);
    expect(await border()).toBe('rgba(0, 0, 0, 0)');
    const device = await page.context().newCDPSession(page);
    const phone = { width: 390, height: 844, deviceScaleFactor: 1, mobile: true };
    await device.send('Emulation.setDeviceMetricsOverride', phone);
    await device.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await expect.poll(border).toBe('rgb(255, 255, 255)');
    await device.send('Emulation.setTouchEmulationEnabled', { enabled: false });
    await device.send('Emulation.clearDeviceMetricsOverride');
    await device.detach();
    await close();
  });

  it('needs three rows at most for a selection and one for an undo in Spanish on a small phone', full, async () => {
    const { page, close } = await stage.open();
    await page.evaluate(`localStorage.setItem('vitrine:console', '{"language":"es"}')`);
    await page.reload();
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole('checkbox').first().check();
    const bar = page.getByRole('toolbar', { name: 'Selección' });
    await bar.getByRole('button', { name: 'A una colección' }).waitFor();
    expect((await rowsOf(bar)).size).toBeLessThanOrEqual(3);
    await bar.getByRole('button', { name: 'Eliminar …' }).click();
    await page.getByRole('button', { name: 'Eliminar ahora' }).click();
    const toast = page.getByRole('status').filter({ hasText: 'Se ha eliminado 1 registro.' });
    await toast.waitFor();
    expect((await rowsOf(toast)).size).toBe(1);
    await toast.getByRole('button', { name: 'Deshacer' }).click();
    await toast.waitFor({ state: 'hidden' });
    await close();
  });

  it('offers the undo of a write on a phone in one line', full, async () => {
    const { page, close } = await stage.open();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: 'Delete …' }).click();
    await page.getByRole('button', { name: 'Delete now' }).click();
    const toast = page.getByRole('status').filter({ hasText: '1 record was deleted.' });
    await toast.waitFor();
    expect((await rowsOf(toast)).size).toBe(1);
    await toast.getByRole('button', { name: 'Undo' }).click();
    await toast.waitFor({ state: 'hidden' });
    await close();
  });

  it('shows previews that failed without a network once it is back', full, async () => {
    const { page, close } = await stage.open();
    await page.route('**/*', (route) =>
      route.request().resourceType() === 'image' ? route.abort() : route.continue(),
    );
    await page.reload();
    await page.locator('main .preview .none').first().waitFor();
    await page.unrouteAll();
    await page.evaluate("window.dispatchEvent(new Event('online'))");
    await page.locator('main .preview.loaded').first().waitFor();
    expect(await page.locator('main .preview .none').count()).toBe(0);
    await close();
  });

  it('leaves the buttons that zoom uncovered when it offers an undo', full, async () => {
    const { page, close } = await stage.open('/app/?open=alps');
    await page.getByRole('button', { name: 'Edit Title' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('A valley of the Alps');
    await page.keyboard.press('Enter');
    const undo = await page.getByRole('button', { name: 'Undo', exact: true }).boundingBox();
    const zoom = await page.getByRole('button', { name: 'Zoom in' }).boundingBox();
    expect((undo?.y ?? 0) + (undo?.height ?? 0)).toBeLessThan(zoom?.y ?? 0);
    await close();
  });

  it('shows pictures of an operation within their rows, whatever their form', full, async () => {
    const gray = { r: 90, g: 90, b: 90 };
    const tall = sharp({ create: { width: 300, height: 600, channels: 3, background: gray } });
    await tall.jpeg().toFile(join(stage.world.media, 'tall.jpg'));
    const own = await stage.world.client();
    await own.write('POST', '/imgs', [{ id: 'tall', src_path: 'tall.jpg' }]);
    const { page, close } = await stage.open('/app/?page=operations', { key: own.key });
    await page.getByRole('link', { name: /Add 1 picture/ }).click();
    const picture = page.getByRole('link', { name: 'Open tall' });
    await expect
      .poll(() =>
        picture.locator('img').evaluate((image) => (image as unknown as { naturalHeight: number }).naturalHeight),
      )
      .toBeGreaterThan(0);
    expect((await picture.locator('img').boundingBox())?.height).toBe((await picture.boundingBox())?.height);
    await close();
  });

  it('shows no action that the role does not allow', async () => {
    const viewer = await stage.world.client({ role: 'viewer', tenant: stage.tenant });
    const { page, close } = await stage.open('/app/?q=country:Japan', { key: viewer.key });
    await page.getByRole('button', { name: 'Recent, Saved' }).click();
    await page.getByRole('heading', { name: 'Recent' }).waitFor();
    expect(await page.getByLabel('Name of the saved search').count()).toBe(0);
    await close();
  });

  it('sends 250 kB of JavaScript at most before it can be used', async () => {
    const { page, close } = await stage.open('/app/');
    await page.locator('main [data-id]').first().waitFor();
    const bytes = await page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    );
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(250 * 1024);
    await close();
  });

  it('imports the examples into an empty catalog by one button', full, async () => {
    const empty = await stage.world.client();
    const { page, close } = await stage.open('/app/', { key: empty.key });
    await page.getByRole('button', { name: 'Import the examples' }).click();
    await page.getByText('6 pictures').waitFor();
    await expect.poll(() => page.locator('main [data-id]').count()).toBe(6);
    await close();
  });
});
