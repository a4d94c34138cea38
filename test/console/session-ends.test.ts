import { afterAll, describe, expect, it } from 'vitest';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

describe.skipIf(browserPath === null)(
  `A session that ends in the console${whyNoBrowser}`,
  { tags: ['browser'] },
  () => {
    let stage: Stage;
    withStages.beforeAll(async ({ openStage }) => {
      stage = await openStage();
    });
    afterAll(() => stage?.close());

    it('is said, and what was typed is saved after signing in with another key', full, async () => {
      const { page, faults, close } = await stage.open('/app/?open=nagasaki');
      await page.getByRole('button', { name: 'Edit Title' }).click();
      await page.getByRole('textbox', { name: 'Title' }).fill('Typed before the key was revoked');
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Save', exact: true }).click();

      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await expect.poll(() => dialog.isVisible()).toBe(true);
      await dialog.getByLabel('API key').fill('vt_wrong');
      await dialog.getByLabel('API key').press('Enter');
      await dialog.getByText('This key is not valid').waitFor();
      await dialog.getByLabel('API key').fill(stage.client.key);
      await dialog.getByLabel('API key').press('Enter');
      await dialog.waitFor({ state: 'hidden' });

      await page.getByText('Title was changed.').waitFor();
      const { body } = await stage.client.rest('GET', '/imgs/nagasaki?fields=title');
      expect(body.title).toBe('Typed before the key was revoked');
      expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
      await close();
    });

    it('leaves a draft in sight of who may not save it, and there for who may', async () => {
      const viewer = await stage.world.client({ tenant: stage.tenant, role: 'viewer' });
      const { page, close } = await stage.open('/app/?open=alps');
      await page.getByRole('button', { name: /^Empty fields/ }).click();
      await page.getByRole('button', { name: 'Edit Event' }).click();
      const draft = page.getByRole('combobox', { name: 'Event' });
      await draft.fill('Typed by an editor');
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Save', exact: true }).dispatchEvent('click');
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.getByLabel('API key').fill(viewer.key);
      await dialog.getByLabel('API key').press('Enter');
      await dialog.waitFor({ state: 'hidden' });
      await page
        .getByRole('dialog')
        .getByRole('alert')
        .filter({ hasText: /role|scope|allow/i })
        .waitFor();
      expect(await draft.inputValue()).toBe('Typed by an editor');
      await page.keyboard.press('Escape');
      await close();
    });

    it('forgets what one tenant has typed and chosen when another one signs in', async () => {
      const other = await stage.world.client();
      await other.write('POST', '/imgs/alps?lang=en', { src_path: 'dust-bowl-home.jpg' });
      const { page, close } = await stage.open('/app/?open=alps');
      await page.getByRole('button', { name: 'Edit Title' }).click();
      await page.getByRole('textbox', { name: 'Title' }).fill('A secret');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Close' }).first().click();
      await page.locator('main').getByRole('checkbox').first().check();
      await page.getByRole('button', { name: 'Account and settings' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('API key').fill(other.key);
      await page.getByLabel('API key').press('Enter');
      await page.getByText('1 picture', { exact: true }).waitFor();
      expect(await page.getByText('1 selected').count()).toBe(0);
      await close();
    });

    it('interrupts no upload for good', async () => {
      const { page, close } = await stage.open('/app/?page=import');
      await page.getByText('Choose a folder').waitFor();
      await page.context().clearCookies();
      const file = { name: 'late.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no matter what') };
      await page.getByLabel('Choose files').setInputFiles([file]);
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.getByLabel('API key').fill(stage.client.key);
      await dialog.getByLabel('API key').press('Enter');
      await expect.poll(() => page.getByText('1 of 1 uploaded').count(), { timeout: 30_000 }).toBe(1);
      await close();
    });

    it('begins anew as somebody of another tenant', async () => {
      const other = await stage.world.client();
      const { page, close } = await stage.open('/app/?q=country:Japan');
      await page.getByText('1 picture').waitFor();
      await page.context().clearCookies();
      // Dispatched: a count that is under way may have opened the dialog already.
      await page.getByRole('link', { name: 'Operations' }).dispatchEvent('click');
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.getByLabel('API key').fill(other.key);
      await dialog.getByLabel('API key').press('Enter');
      await page.getByText('The catalog is empty').waitFor();
      expect(new URL(page.url()).search).toBe('');
      await close();
    });

    it('can be left by signing out', async () => {
      const { page, close } = await stage.open();
      await page.locator('main [data-id]').first().waitFor();
      await page.context().clearCookies();
      // Dispatched: a count that is under way may have opened the dialog already.
      await page.getByRole('link', { name: 'Operations' }).dispatchEvent('click');
      await page.getByRole('button', { name: 'Sign out without saving' }).click();
      await page.getByRole('heading', { name: 'Vitrine' }).waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
      await close();
    });
  },
);
