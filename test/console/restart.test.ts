import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../chaos/redis.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { browserPath, openBrowser, openPage, whyNoBrowser } from '../support/browser.ts';
import { newDataFolder } from '../support/data-folder.ts';
import { serverPid, start } from '../support/program.ts';
import { createClient } from '../support/world.ts';
import { signInWith } from './support.ts';

const key = 'a-key-of-the-operator-0001';

describe.skipIf(browserPath === null)(`A restart of the service${whyNoBrowser}`, { tags: ['browser'] }, () => {
  it('while a field is edited is shown at the field, which is saved once when the service is back', async () => {
    const DATA_DIR = newDataFolder();
    const MEDIA_ROOTS = join(packageRoot, 'examples', 'pictures');
    // The restarted service has to be found at the address of the tab.
    const PORT = String(await freePort());
    const settings = { DATA_DIR, MEDIA_ROOTS, AI_ANALYSIS: 'off', ADMIN_API_KEY: key, PORT };
    const { url } = await start(settings);
    const client = createClient(url, key);
    await client.write('POST', '/imgs/boats?lang=en', { src_path: 'nagasaki-boats.jpg', title: 'Boats' });
    const browser = await openBrowser();
    const { page } = await openPage(browser);
    await signInWith(page, url, key);
    await page.goto(`${url}/app/?open=boats`);
    await page.getByRole('button', { name: 'Edit Title', exact: true }).click();
    const input = page.getByRole('dialog').getByLabel('Title', { exact: true });
    await input.fill('Boats in a river');
    process.kill(serverPid(DATA_DIR), 'SIGKILL');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The service does not answer.').waitFor();
    expect(await input.inputValue()).toBe('Boats in a river');
    await page.getByText('Title was changed.').waitFor();
    await page.getByRole('heading', { name: 'Boats in a river' }).first().waitFor();
    const { results } = (await client.rest('GET', '/imgs/boats/history')).body;
    expect(results.map(({ action }: { action: string }) => action)).toEqual(['changed', 'created']);
    await browser.close();
  });
});
