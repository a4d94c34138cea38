import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOpenApi } from '../../rest/index.ts';
import { schema } from '../../src/graphql/index.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ worker: false });
});
afterAll(() => world.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(world.url + path, { headers });

describe('/openapi.json', () => {
  it('is the document, for everyone', async () => {
    const answer = await get('/openapi.json');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(buildOpenApi({ schema }))));
  });

  it('costs nothing the second time', async () => {
    const first = await get('/openapi.json');
    const again = await get('/openapi.json', { 'If-None-Match': first.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
  });

  it('is only read', async () => {
    const answer = await fetch(`${world.url}/openapi.json`, { method: 'POST' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });
});

describe('/docs', () => {
  it('is a page whose every part comes from this service', async () => {
    const answer = await get('/docs');
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    const page = await answer.text();
    const parts = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(parts).toContain('/docs/swagger-ui-bundle.js');
    for (const part of parts) {
      expect(part).toMatch(/^\//);
      expect([part, (await get(part)).status]).toEqual([part, 200]);
    }
  });

  it.each([
    ['swagger-ui.css', 'text/css'],
    ['swagger-ui-bundle.js', 'text/javascript'],
    ['favicon-32x32.png', 'image/png'],
  ])('may keep %s for a day', async (name, type) => {
    const answer = await get(`/docs/${name}`, { 'Accept-Encoding': 'identity' });
    expect(answer.headers.get('content-type')).toContain(type);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=86400');
    const plain = Buffer.from(await answer.arrayBuffer());
    const small = await get(`/docs/${name}`, { 'Accept-Encoding': 'gzip' });
    expect(small.headers.get('content-encoding')).toBe('gzip');
    expect(Buffer.from(await small.arrayBuffer()).equals(plain)).toBe(true);
  });

  it.each(['/docs/package.json', '/docs/index.html', '/docs/../package.json', '/docs/swagger-ui.css.map'])(
    'serves nothing else of the package: %s',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  it('is linked from the home page', async () => {
    const page = await (await get('/')).text();
    expect(page).toContain('href="/docs"');
    expect(page).toContain('href="/openapi.json"');
  });
});
