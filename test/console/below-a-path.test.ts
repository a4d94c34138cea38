import { createServer, request } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { browserPath, openPage, whyNoBrowser, withBrowser } from '../support/browser.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { examples, pictures } from './support.ts';

const below = '/archive/pictures';

/** A proxy that serves another server below a path, which it removes from requests. */
async function openProxy(target: () => string): Promise<Server> {
  const proxy = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '/';
    if (!path.startsWith(`${below}/`)) return void outgoing.writeHead(404).end('the proxy has nothing here');
    const { method, headers } = incoming;
    const own = request(target() + path.slice(below.length), { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    own.on('error', () => outgoing.destroy());
    incoming.pipe(own);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return proxy;
}

it('The console names no path of the service from the root of its host', () => {
  const folder = join(packageRoot, 'console', 'src');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:ts|svelte)$/.test(name),
  );
  const found = names.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    return [...text.matchAll(/['"`]\/(?:app|graphql|docs|imgs|vids|ops|uploads|backup|previews)\b/g)].map(([path]) => [
      name,
      path,
    ]);
  });
  expect([names.length > 100, found]).toEqual([true, []]);
});

describe.skipIf(browserPath === null)(
  `The pages of a service that a proxy serves below a path${whyNoBrowser}`,
  { tags: ['browser'] },
  () => {
    let proxy: Server;
    let world: World;
    let client: Client;
    let root = '';
    let page: Page;
    let faults: string[];
    withBrowser.beforeAll(async ({ enterBrowser }) => {
      proxy = await openProxy(() => world.url);
      root = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${below}`;
      const mediaRoots = [pictures, join(examples, 'videos')];
      world = await openWorld({ mediaRoots, environment: { BASE_URL: root } });
      client = await world.client();
      ({ page, faults } = await openPage(await enterBrowser()));
    });
    afterAll(async () => {
      proxy?.closeAllConnections();
      proxy?.close();
      await world?.close();
    });

    const shown = () => page.evaluate(`[...document.images].filter((image) => image.naturalWidth > 0).length`);

    it('sign in, import the examples and show their pictures', { timeout: 120_000 }, async () => {
      await page.goto(`${root}/`);
      await page.getByLabel('API key').fill(client.key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Import the examples' }).click();
      await page.locator('main [data-id]').nth(5).waitFor();
      expect(page.url().startsWith(`${root}/app/`)).toBe(true);
      await expect.poll(shown, { timeout: 30_000 }).toBeGreaterThan(6);
      await page.locator('main [data-id]').first().click();
      await page.getByRole('dialog').waitFor();
      expect(page.url()).toMatch(new RegExp(`^${root}/app/\\?.*open=`));
      expect(faults).toEqual([]);
    });

    it('begin an upload at an address that the browser reaches', { timeout: 60_000 }, async () => {
      await page.goto(`${root}/app/`);
      const begin = (headers: object) => `(async () => {
        const protocol = { 'Tus-Resumable': '1.0.0' };
        const headers = { ...protocol, 'Upload-Length': '3', ...${JSON.stringify(headers)} };
        const { headers: told, url } = await fetch('../uploads', { method: 'POST', headers });
        const address = new URL(told.get('location'), url).href;
        return [address, (await fetch(address, { method: 'HEAD', headers: protocol })).status];
      })()`;
      const expected = [expect.stringMatching(new RegExp(`^${root}/uploads/[0-9a-f-]{36}$`)), 200];
      expect(await page.evaluate(begin({ 'X-Vitrine-Console': '1' }))).toEqual(expected);
      expect(await page.evaluate(begin({}))).toEqual(expected);
    });

    it('try REST and GraphQL', { timeout: 60_000 }, async () => {
      await page.goto(`${root}/docs/`);
      await page.locator('.opblock').first().waitFor();
      expect(page.url()).toBe(`${root}/docs`);
      await page.goto(`${root}/graphql`);
      await page.getByText('admin of').waitFor();
      expect(faults).toEqual([]);
    });

    it('show pictures at other addresses of the service, too', { timeout: 60_000 }, async () => {
      const other = world.url.replace('127.0.0.1', 'localhost');
      await page.goto(`${other}/app?view=list`);
      expect(page.url()).toBe(`${other}/app/?view=list`);
      await page.getByLabel('API key').fill(client.key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('main [data-id]').nth(5).waitFor();
      await expect.poll(shown, { timeout: 30_000 }).toBeGreaterThan(6);
      expect(faults).toEqual([]);
    });
  },
);
