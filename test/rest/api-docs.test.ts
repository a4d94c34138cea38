import { describe, expect, it } from 'vitest';
import { buildOpenApi, endpoints } from '../../rest/index.ts';
import { schema } from '../../src/graphql/index.ts';
import { withWorld } from '../support/shared-world.ts';
import { openWorld } from '../support/world.ts';
import type { SharedWorld } from '../support/world.ts';

let world: SharedWorld;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(world.url + path, { headers });

describe('/openapi.json', () => {
  it('is the document, for everyone', async () => {
    const answer = await get('/openapi.json');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    const { servers, ...document } = (await answer.json()) as Record<string, unknown>;
    const { servers: _, ...built } = JSON.parse(JSON.stringify(buildOpenApi({ schema })));
    expect(document).toEqual(built);
    expect(servers).toMatchObject([{ url: world.url }, { url: '/' }]);
  });

  it.each(['', ', inner.example.com'])('names the address by which the first proxy was reached: …%s', async (more) => {
    const answer = await get('/openapi.json', {
      'X-Forwarded-Proto': `https${more && ', http'}`,
      'X-Forwarded-Host': `pictures.example.com${more}`,
    });
    expect(await answer.json()).toMatchObject({ servers: [{ url: 'https://pictures.example.com' }, { url: '/' }] });
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
  });

  it.each(['a b', 'evil.example/path', 'user@host', 'x:99999999', '"><script>', '[::1', 'a'.repeat(300)])(
    'takes no address from a header that names no host: %s',
    async (name) => {
      const answer = await get('/openapi.json', { 'X-Forwarded-Host': name });
      expect(await answer.json()).toMatchObject({ servers: [{ url: world.url }, { url: '/' }] });
    },
  );

  it('names the address that is configured, whatever a request says', async () => {
    const own = await openWorld({ worker: false, http: { baseUrl: 'https://pictures.example.com/api' } });
    try {
      const answer = await fetch(`${own.url}/openapi.json`, { headers: { 'X-Forwarded-Host': 'other.example.com' } });
      expect(await answer.json()).toMatchObject({
        servers: [{ url: 'https://pictures.example.com/api' }, { url: '/' }],
      });
    } finally {
      await own.close();
    }
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
    expect(parts).toContain('docs/swagger-ui-bundle.js');
    for (const part of parts.filter((address) => !address.startsWith('data:'))) {
      // Relative, since a proxy may serve the page below a path.
      expect(part).toMatch(/^[a-z]+[./]/);
      expect([part, (await get(`/${part}`)).status]).toEqual([part, 200]);
    }
  });

  it('lists every endpoint before a script has run, and its bundle is waited for by nothing', async () => {
    const page = await (await get('/docs')).text();
    const shown = page.slice(0, page.indexOf('<script type="module">'));
    for (const { method, path } of endpoints) expect(shown).toContain(`<code>${method} ${path}</code>`);
    expect(page).toContain('<script src="docs/swagger-ui-bundle.js" defer>');
    expect(page.indexOf('swagger-ui.css')).toBeGreaterThan(page.indexOf('<code>'));
  });

  it.each([
    ['swagger-ui.css', 'text/css'],
    ['swagger-ui-bundle.js', 'text/javascript'],
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
    expect(page).toContain('href="docs"');
    expect(page).toContain('href="openapi.json"');
  });
});
