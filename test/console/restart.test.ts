import { describe, expect, it } from 'vitest';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { openRestartable } from './restartable.ts';

describe.skipIf(browserPath === null)(`A restart of the service${whyNoBrowser}`, { tags: ['browser', 'full'] }, () => {
  it('while a field is edited is shown at the field, which is saved once when the service is back', async () => {
    const { url, client, page, kill, close } = await openRestartable();
    await client.write('POST', '/imgs/boats?lang=en', { src_path: 'nagasaki-boats.jpg', title: 'Boats' });
    await page.goto(`${url}/app/?open=boats`);
    await page.getByRole('button', { name: 'Edit Title', exact: true }).click();
    const input = page.getByRole('dialog').getByLabel('Title', { exact: true });
    await input.fill('Boats in a river');
    kill();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The service is not responding.').waitFor();
    expect(await input.inputValue()).toBe('Boats in a river');
    await page.getByText('Title was changed.').waitFor();
    await page.getByRole('heading', { name: 'Boats in a river' }).first().waitFor();
    const { results } = (await client.rest('GET', '/imgs/boats/history')).body;
    expect(results.map(({ action }: { action: string }) => action)).toEqual(['changed', 'created']);
    await close();
  });

  it('leaves no picture away that failed meanwhile, though the network was there', async () => {
    const { url, client, page, kill, close } = await openRestartable();
    await client.write('POST', '/imgs/boats?lang=en', { src_path: 'nagasaki-boats.jpg', title: 'Boats' });
    let isAway = true;
    await page.route('**/*', (route) =>
      isAway && route.request().resourceType() === 'image' ? route.abort() : route.continue(),
    );
    await page.goto(`${url}/app/`);
    await page.locator('main [data-id]').first().waitFor();
    kill();
    await page.waitForRequest((request) => request.url().endsWith('/app/session'));
    isAway = false;
    await page.locator('main .preview.loaded').first().waitFor();
    expect(await page.locator('main .preview .none').count()).toBe(0);
    await close();
  });
});
