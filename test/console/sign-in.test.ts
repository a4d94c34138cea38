import { afterAll, describe, expect, it } from 'vitest';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { withStages } from './support.ts';
import type { Stage } from './support.ts';

describe.skipIf(browserPath === null)(`Signing in to the console${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  it('takes a key, keeps it nowhere in the browser, and stays signed in after a reload', async () => {
    const { page, faults, close } = await stage.open('/app/', { key: null });
    await page.getByLabel('API key').fill(stage.client.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Account and settings' }).waitFor();
    const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])');
    expect(kept).not.toContain('vt_');
    expect(kept).not.toContain('vs_');
    await page.reload();
    await page.getByRole('button', { name: 'Account and settings' }).click();
    await page.locator('.panel').getByText(`admin of ${stage.tenant}`).first().waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('says what is wrong with a key', async () => {
    const { page, close } = await stage.open('/app/', { key: null });
    await page.getByLabel('API key').fill('vt_wrong');
    await page.getByLabel('API key').press('Enter');
    await page.getByRole('alert').getByText('This key is not valid').waitFor();
    await page.getByLabel('API key').fill('ключ 😀'); // A header cannot carry it.
    await expect.poll(() => page.getByRole('alert').getByText('This key is not valid').count()).toBe(1);
    await page.getByLabel('API key').press('Enter');
    await page.getByRole('alert').getByText('This key is not valid').waitFor();
    expect(await page.getByText('not responding').count()).toBe(0);
    await expect.poll(() => page.getByLabel('API key').isVisible()).toBe(true);
    await close();
  });

  it('ends by signing out, and stays so after a reload', async () => {
    const { page, close } = await stage.open();
    await page.getByRole('button', { name: 'Account and settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    await page.reload();
    await page.getByLabel('API key').waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await close();
  });

  it('does not pretend to sign out while the service is away', async () => {
    const { page, close } = await stage.open();
    await page.getByRole('button', { name: 'Account and settings' }).click();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('alert').getByText('The service does not answer').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await close();
  });

  it('is a page that nothing foreign can run in, frame or style', async () => {
    const reply = await fetch(`${stage.world.url}/app/`);
    const policy = reply.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(reply.headers.get('cache-control')).toBe('no-cache');
    const html = await reply.text();
    const assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    expect(assets.length).toBeGreaterThan(2);
    for (const path of assets) {
      expect(path).toMatch(/^\.\/[a-z]/); // Relative, since a proxy may serve the page below a path.
      const asset = await fetch(new URL(path, `${stage.world.url}/app/`));
      expect(asset.status).toBe(200);
      if (path.includes('/assets/')) expect(asset.headers.get('cache-control')).toContain('immutable');
    }
  });
});
