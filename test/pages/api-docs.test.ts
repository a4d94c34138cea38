import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { packageRoot } from '../../src/lib/package-root.ts';
import { browserPath, openPage, whyNoBrowser, withBrowser } from '../support/browser.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';
import { full } from '../support/effort.ts';

const picture = join(packageRoot, 'examples', 'pictures', 'nagasaki-boats.jpg');

describe.skipIf(browserPath === null)(`/docs in a browser${whyNoBrowser}`, { timeout: 180_000 }, () => {
  let world: SharedWorld;
  let browser: Browser;
  let client: Client;
  withWorld.beforeAll(async ({ enterWorld }) => {
    world = await enterWorld();
    client = await world.client();
  });
  withBrowser.beforeAll(async ({ enterBrowser }) => {
    browser = await enterBrowser();
  });

  /** The page with the key given, and the form of an operation opened. */
  async function openForm(operationId: string) {
    const { page, faults } = await openPage(browser);
    await page.goto(`${world.url}/docs`);
    await page.click('.btn.authorize');
    await page.fill('.auth-container input', client.key);
    await page.click('.auth-btn-wrapper .authorize');
    await page.click('.btn-done');
    const form = page.locator(`[id$="-${operationId}"]`);
    await form.locator('.opblock-summary-control').click();
    await form.locator('.execute').waitFor();
    return { page, faults, form };
  }

  it('lists the endpoints before its scripts are there', async () => {
    const { page } = await openPage(browser);
    await page.route('**/swagger-ui-bundle.js', () => {}); // Never answered.
    await page.goto(`${world.url}/docs`, { waitUntil: 'commit' });
    await page.getByText('GET /imgs/{image_id}', { exact: true }).waitFor();
    const { paths } = (await client.rest('GET', '/openapi.json')).body as { paths: Record<string, object> };
    const methods = Object.values(paths).flatMap((path) => Object.keys(path).filter((name) => name !== 'parameters'));
    await expect.poll(() => page.locator('#outline li').count()).toBe(methods.length);
    await page.context().close();
  });

  it('is drawn by scripts that its policy allows, without a fault', full, async () => {
    const { page, faults } = await openPage(browser);
    await page.goto(`${world.url}/docs`);
    await page.locator('.opblock').first().waitFor();
    expect(await page.locator('#outline').count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('fills in a tagging request that works as soon as a file is chosen', full, async () => {
    const { page, form } = await openForm('tag_image_tag_image_post');
    const values = await form
      .locator('input[type=text]')
      .evaluateAll((inputs: any[]) => inputs.map(({ value }) => value));
    expect(values).not.toContain('string');
    await form.locator('input[type=file]').setInputFiles(picture);
    const answered = page.waitForResponse('**/tag/image');
    await form.locator('.execute').click();
    const answer = await answered;
    expect(answer.status()).toBe(200);
    const { caption, keywords, ocr, colors } = (await answer.json()) as Record<string, unknown>;
    expect([caption, keywords, ocr, colors]).not.toContain(null);
    await page.context().close();
  });

  it.each(['imgs_delete_imgs_delete', 'imgs_replace_imgs_put', 'img_delete_imgs__image_id__delete'])(
    'leaves the example pictures as they are when %s is tried as it stands',
    full,
    async (operationId) => {
      const known = await client.rest('GET', '/imgs/airplane');
      if (known.status === 404) {
        await world.picture('a.png');
        const ids = ['airplane', 'lily-leek', 'dust-bowl', 'alps', 'cat-in-motion', 'nagasaki'];
        await client.write(
          'POST',
          '/imgs',
          ids.map((id) => ({ id, src_path: 'a.png', title: id })),
        );
      }
      const before = await client.rest('GET', '/imgs?fields=image_id&fields=title&sort_by=image_id');
      const { page, form } = await openForm(operationId);
      await form.locator('tr[data-param-name=wait] select').selectOption('true');
      const answered = page.waitForResponse((answer) => answer.url().includes('/imgs'));
      await form.locator('.execute').click();
      expect((await answered).status()).toBeLessThan(300);
      const after = await client.rest('GET', '/imgs?fields=image_id&fields=title&sort_by=image_id');
      expect(after.body).toEqual(before.body);
      await page.context().close();
    },
  );

  it('needs no sideways scrolling at the width of a telephone', full, async () => {
    const { page } = await openPage(browser, { width: 400, height: 800 });
    await page.goto(`${world.url}/docs`);
    await page.locator('.opblock').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
    await page.context().close();
  });
});
