import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { browserPath, openBrowser, openPage, whyNoBrowser } from '../support/browser.ts';
import { full } from '../support/effort.ts';
import { cloneDatabase } from '../support/database.ts';
import { cleanUp, newFolder, ready, run } from '../support/program.ts';
import { pictures, signInWith, withStages } from './support.ts';
import type { Stage } from './support.ts';

const fileOf = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/jpeg', buffer });
const picture = (name: string, as = name) => fileOf(as, readFileSync(join(pictures, name)));

describe.skipIf(browserPath === null)(`The import page${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  it('uploads chosen files, reports what storing would do, stores them, and says what failed and why', async () => {
    const { page, faults, close } = await stage.open();
    await page.getByRole('link', { name: 'Import' }).click();
    const broken = fileOf('broken.jpg', Buffer.from('no picture'));
    const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('notes') };
    await page.getByLabel('Choose files').setInputFiles([picture('nagasaki-boats.jpg', 'boats.jpg'), broken, notes]);
    await page.getByText('1 file is neither a picture nor a video.').waitFor();
    await page.getByText('2 of 2 uploaded').waitFor();
    await page.getByRole('button', { name: 'Check without storing' }).click();
    await page.getByText('Check finished: 1 can be stored.').waitFor();
    expect((await stage.client.rest('GET', '/imgs/boats.jpg')).status).toBe(404);
    await page.locator('.file', { hasText: 'broken.jpg' }).locator('.reason').waitFor();
    expect(await page.locator('.reason').innerText()).not.toMatch(/decode_failed|unsupported_media/);
    await page.getByRole('button', { name: 'Store 1 file' }).click();
    await page.locator('.file', { hasText: 'boats.jpg' }).getByText('Stored', { exact: true }).waitFor();
    expect((await stage.client.rest('GET', '/imgs/boats.jpg?fields=src_path')).body.src_path).toMatch(
      /^upload:.*boats\.jpg$/,
    );
    await page.getByRole('button', { name: 'Try 1 file again' }).click();
    await page.getByRole('button', { name: 'Store 1 file' }).click();
    await page.locator('.file.bad', { hasText: 'broken.jpg' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('checks pictures and videos of one list, and reports both', full, async () => {
    const { page, close } = await stage.open('/app/?page=import');
    const clip = { name: 'no.mp4', mimeType: 'video/mp4', buffer: Buffer.from('no video') };
    const broken = fileOf('torn.jpg', Buffer.from('torn picture'));
    await page.getByLabel('Choose files').setInputFiles([broken, clip]);
    await page.getByText('2 of 2 uploaded').waitFor();
    await page.getByRole('button', { name: 'Check without storing' }).click();
    for (const name of ['torn.jpg', 'no.mp4'])
      await expect.poll(() => page.locator('.file.bad', { hasText: name }).count()).toBe(1);
    await close();
  });

  it('takes a corrected file in the place of the one of its name that failed, also after the page was closed', async () => {
    const { page, close } = await stage.open('/app/?page=import');
    await page.getByLabel('Choose files').setInputFiles([fileOf('fixed.jpg', Buffer.from('no picture at all'))]);
    await page.getByText('1 of 1 uploaded').waitFor();
    await page.getByRole('button', { name: 'Store 1 file' }).click();
    const failed = page.locator('.file.bad', { hasText: 'fixed.jpg' });
    await failed.waitFor();
    const reason = await failed.locator('.reason').innerText();
    await page.reload();
    expect(await failed.locator('.reason').innerText()).toBe(reason);
    await page.getByLabel('Choose files').setInputFiles([picture('airplane-from-above.jpg', 'fixed.jpg')]);
    await page.getByRole('button', { name: 'Store 1 file' }).click();
    await page.locator('.file', { hasText: 'fixed.jpg' }).getByText('Stored', { exact: true }).waitFor();
    expect((await stage.client.rest('GET', '/imgs/fixed.jpg')).status).toBe(200);
    await close();
  });

  it('stores a file under another id where the one of its name is taken', full, async () => {
    const own = await stage.world.client();
    await own.write('POST', '/imgs', [{ id: 'boats-9.jpg', src_path: 'nagasaki-boats.jpg' }]);
    const { page, close } = await stage.open('/app/?page=import', { key: own.key });
    await page.getByLabel('Choose files').setInputFiles([picture('french-alpine-landscape.jpg', 'boats-9.jpg')]);
    await page.getByRole('button', { name: 'Store 1 file' }).click();
    await page.getByText('already exists').waitFor();
    await page.reload();
    await page.getByText('already exists').waitFor();
    expect(await page.getByLabel('Another id').inputValue()).toBe('boats-10.jpg');
    await page.getByLabel('Another id').fill('alps.jpg');
    await page.getByLabel('Another id').press('Enter');
    await page.getByRole('button', { name: 'Store 1 file' }).click();
    await page.locator('.file').getByText('Stored', { exact: true }).waitFor();
    expect((await own.rest('GET', '/imgs/alps.jpg')).status).toBe(200);
    await close();
  });

  it('tries no file again that exists already', async () => {
    const own = await stage.world.client();
    await own.write('POST', '/imgs', [{ id: 'old.jpg', src_path: 'nagasaki-boats.jpg' }]);
    const { page, close } = await stage.open('/app/?page=import', { key: own.key });
    const broken = fileOf('bad.jpg', Buffer.from('no picture again'));
    await page.getByLabel('Choose files').setInputFiles([picture('nagasaki-boats.jpg', 'old.jpg'), broken]);
    await page.getByRole('button', { name: 'Store 2 files' }).click();
    await page.locator('.file', { hasText: 'old.jpg' }).getByText('Existed already').waitFor();
    await page.getByRole('button', { name: 'Try 1 file again' }).click();
    await page.getByRole('button', { name: 'Store 1 file' }).waitFor();
    expect(await page.locator('.file', { hasText: 'old.jpg' }).getByText('Existed already').count()).toBe(1);
    await close();
  });

  it('counts no file as stored that failed, however many did', full, async () => {
    const { page, close } = await stage.open('/app/?page=import');
    const broken = Array.from({ length: 60 }, (_, at) => fileOf(`broken-${at}.jpg`, Buffer.from(`no picture ${at}`)));
    await page
      .getByLabel('Choose files')
      .setInputFiles([...broken, picture('french-alpine-landscape.jpg', 'alps.jpg')]);
    await page.getByText('61 of 61 uploaded').waitFor();
    await page.getByRole('button', { name: 'Store 61 files' }).click();
    await page.locator('.file', { hasText: 'alps.jpg' }).getByText('Stored', { exact: true }).waitFor();
    await expect.poll(() => page.locator('.file.bad').count()).toBe(60);
    await close();
  });

  it('takes what is dropped anywhere on it, and searches for nothing', async () => {
    const { page, close } = await stage.open('/app/?page=import');
    await page.getByRole('heading', { name: 'Import' }).waitFor();
    const content = readFileSync(join(pictures, 'airplane-from-above.jpg')).toString('base64');
    await page.evaluate(`(async () => {
      const bytes = Uint8Array.from(atob(${JSON.stringify(content)}), (letter) => letter.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], 'dropped.jpg', { type: 'image/jpeg' }));
      document.querySelector('header').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    })()`);
    await page.getByText('1 of 1 uploaded').waitFor();
    expect(new URL(page.url()).searchParams.get('page')).toBe('import');
    await close();
  });

  it('remembers what is uploaded when its page is closed', async () => {
    const { page, close } = await stage.open('/app/?page=import');
    await page.getByLabel('Choose files').setInputFiles([picture('dust-bowl-home.jpg', 'home.jpg')]);
    await page.getByText('1 of 1 uploaded').waitFor();
    await page.reload();
    await page.getByText('1 of 1 uploaded').waitFor();
    await page.getByRole('button', { name: 'Store 1 file' }).click();
    await page.locator('.file', { hasText: 'home.jpg' }).getByText('Stored', { exact: true }).waitFor();
    expect((await stage.client.rest('GET', '/imgs/home.jpg')).status).toBe(200);
    await close();
  });

  it('shows files of one tenant to nobody of another one', async () => {
    const { page, close } = await stage.open('/app/?page=import');
    await page.getByLabel('Choose files').setInputFiles([picture('nagasaki-boats.jpg', 'secret.jpg')]);
    await page.getByText('1 of 1 uploaded').waitFor();
    await signInWith(page, stage.world.url, (await stage.world.client()).key);
    await page.reload();
    await page.getByText('Choose a folder').waitFor();
    expect(await page.locator('.file').count()).toBe(0);
    await signInWith(page, stage.world.url, stage.client.key);
    await page.reload();
    await page.locator('.file', { hasText: 'secret.jpg' }).waitFor();
    await close();
  });

  it('goes on with what was being stored when its page was closed, and stores no file twice', async () => {
    const { page, close } = await stage.open('/app/?page=import');
    await page.getByLabel('Choose files').setInputFiles([picture('dust-bowl-home.jpg', 'again.jpg')]);
    await page.getByText('1 of 1 uploaded').waitFor();
    const accepted = new Promise<void>((resolve) => {
      void page.route('**/graphql', async (route) => {
        if (!route.request().postData()?.includes('mutation ImportImages(')) return route.continue();
        await page.unrouteAll();
        await route.fetch();
        resolve();
      });
    });
    await page.getByRole('button', { name: 'Store 1 file' }).click();
    await accepted;
    await page.reload();
    await page.locator('.file', { hasText: 'again.jpg' }).getByText('Stored', { exact: true }).waitFor();
    expect(await page.locator('.file.bad').count()).toBe(0);
    await close();
  });

  it('says to a viewer that the role may not import', async () => {
    const viewer = await stage.world.client({ role: 'viewer', tenant: stage.tenant });
    const { page, close } = await stage.open('/app/?page=import', { key: viewer.key });
    await page.getByText('Your role does not allow importing.').waitFor();
    expect(await page.getByRole('link', { name: 'Import' }).count()).toBe(0);
    await close();
  });
});

describe.skipIf(browserPath === null)(`An import whose service is killed${whyNoBrowser}`, { tags: ['browser'] }, () => {
  it('says so, goes on by itself when the service is back, and loses nothing', full, async () => {
    const database = await cloneDatabase(inject('postgresUrl'));
    const key = 'a-key-of-sixteen-or-more';
    const environment = { DATABASE_URL: database.url, DATA_DIR: newFolder(), ADMIN_API_KEY: key, AI_ANALYSIS: 'off' };
    const start = async (port: string) => {
      const service = run(['serve', '--no-supervise'], { ...environment, PORT: port });
      return { service, url: (await ready(service)) ?? '' };
    };
    const { service, url } = await start('0');
    const browser = await openBrowser();
    const { page } = await openPage(browser);
    const headers = { 'API-Key': key, 'X-Vitrine-Console': '1' };
    await page.context().request.post(`${url}/app/session`, { headers });
    await page.goto(`${url}/app/?page=import`);
    const network = await page.context().newCDPSession(page);
    const speed = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 8 * 2 ** 20 };
    await network.send('Network.emulateNetworkConditions', speed);
    await page
      .getByLabel('Choose files')
      .setInputFiles([
        fileOf(
          'large.jpg',
          Buffer.concat([readFileSync(join(pictures, 'nagasaki-boats.jpg')), randomBytes(40 * 2 ** 20)]),
        ),
        picture('airplane-from-above.jpg', 'small.jpg'),
      ]);
    const bar = page.getByRole('progressbar', { name: 'Upload of large.jpg' });
    await expect.poll(async () => Number(await bar.getAttribute('value')), { timeout: 60_000 }).toBeGreaterThan(0.3);
    service.child.kill('SIGKILL');
    await service.ended;
    await page.getByText('The upload continues automatically.').waitFor();
    await start(new URL(url).port);
    await page.getByText('2 of 2 uploaded').waitFor();
    await page.getByRole('button', { name: 'Store 2 files' }).click();
    await expect
      .poll(() => page.getByText('Stored', { exact: true }).count(), { timeout: 60_000 })
      .toBeGreaterThanOrEqual(2);
    await browser.close();
    cleanUp();
    await database.drop();
  });
});
