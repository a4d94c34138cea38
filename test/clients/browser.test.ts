import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { packageRoot } from '../../src/lib/package-root.ts';
import { analyzerOf } from '../support/analyzers.ts';
import { browserPath, openPage, whyNoBrowser, withBrowser } from '../support/browser.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';

const built = join(packageRoot, 'clients', 'typescript', 'dist');
const picture = readFileSync(join(packageRoot, 'examples', 'pictures', 'nagasaki-boats.jpg'));

/** What a page does with the client. */
const program = `
  const { f, Vitrine, VitrineError } = await import('/client/index.js');
  const vitrine = new Vitrine({ url: location.origin, key });
  const bytes = Uint8Array.from(atob(picture), (sign) => sign.codePointAt(0));
  const file = new File([bytes], 'boats.jpg', { type: 'image/jpeg' });
  const { src_path } = await vitrine.uploads.send(file, { pieceSize: 40000 });
  const write = await vitrine.images.create({ id: 'boats', src_path, country: 'Japan' });
  const events = [];
  for await (const { type } of write.follow()) events.push(type);
  const found = [];
  for await (const image of vitrine.images.search(f.eq('country', 'Japan'), { fields: ['image_id', 'width'] })) found.push(image);
  await (await write.undo()).wait();
  const gone = await vitrine.images.get('boats').catch((error) => [error instanceof VitrineError, error.code]);
  return { first: events[0], last: events.at(-1), found, gone };
`;

describe('the TypeScript client', () => {
  it('imports nothing but its own files, so that it runs in every runtime', () => {
    const files = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    const imported = files.flatMap((name) =>
      [...readFileSync(join(built, name), 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, path]) => path),
    );
    expect(imported.length).toBeGreaterThan(10);
    expect(imported.filter((path) => !path?.startsWith('./'))).toEqual([]);
  });
});

describe.skipIf(browserPath === null)(`the TypeScript client in a browser${whyNoBrowser}`, () => {
  let world: World;
  let browser: Browser;

  withBrowser.beforeAll(async ({ enterBrowser }) => {
    world = await openWorld({ imageAnalyzer: analyzerOf(['shape']) });
    browser = await enterBrowser();
  });
  afterAll(() => world?.close());

  it('uploads, imports, follows, searches and undoes', async () => {
    const { key } = await world.client();
    const { page, faults } = await openPage(browser);
    await page.route('**/client/**', (route) => {
      const name = new URL(route.request().url()).pathname.slice('/client/'.length);
      return name === ''
        ? route.fulfill({ contentType: 'text/html', body: '<!doctype html><link rel="icon" href="data:,">' })
        : route.fulfill({ contentType: 'text/javascript', path: join(built, name) });
    });
    await page.goto(`${world.url}/client/`);
    const answer = await page.evaluate(
      `(async (key, picture) => {${program}})(${JSON.stringify(key)}, ${JSON.stringify(picture.toString('base64'))})`,
    );
    expect(answer).toEqual({
      first: 'queued',
      last: 'finished',
      found: [{ image_id: 'boats', width: 720 }],
      gone: [true, 'not_found'],
    });
    // The browser reports the record that is gone.
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
    await page.context().close();
  });
});
