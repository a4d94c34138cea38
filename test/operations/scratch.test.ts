import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
let world: World; let client: Client;
beforeAll(async () => { world = await openWorld(); client = await world.client(); await world.picture('t.png', { width: 1, height: 1 }); });
afterAll(() => world.close());
const show = (label: string, a: any) => console.log(label, a.status, JSON.stringify(a.body).slice(0, 600), a.headers?.get?.('allow') ?? '');
it('x', async () => {
  const t0 = Date.now();
  const op = await client.write('POST', '/imgs', Array.from({ length: 2000 }, (_, i) => ({ id: `r${i}`, src_path: 't.png' })));
  console.log('2000 took', Date.now() - t0, op.num_good);
  show('nul get', await client.rest('GET', '/imgs/a%00b'));
  show('ops page', await client.rest('GET', '/ops?page=99999999999'));
  show('ops page', await client.rest('GET', '/ops?page=2147483647&limit=1000'));
  show('imgs page', await client.rest('GET', '/imgs?page=99999999999'));
  show('cursor', await client.rest('GET', `/imgs?sort_by=width&cursor=${Buffer.from(JSON.stringify(['width','desc','abc','x'])).toString('base64url')}`));
  show('cursor', await client.rest('GET', `/imgs?cursor=abc`));
  show('HEAD /', await client.rest('HEAD', `/`));
  show('POST /health', await client.rest('POST', `/health`));
  show('GET /health/', await client.rest('GET', `/health/`));
  show('OPTIONS /health', await client.rest('OPTIONS', `/health`));
  show('OPTIONS /imgs', await client.rest('OPTIONS', `/imgs`));
  show('OPTIONS /graphql', await client.rest('OPTIONS', `/graphql`));
  show('aspect', await client.rest('GET', `/imgs?sort_by=aspect_ratio`));
  for (const q of ['{images(limit:0){results{imageId}}}', '{images(limit:-1){results{imageId}}}','{images(limit:20000){results{imageId}}}','{images(page:0){results{imageId}}}','{operations(page:0){results{id}}}','{operations(limit:-1){results{id}}}','{operations(limit:5000){results{id}}}','{nope}','{','{image(id:"a\\u0000b"){title}}', 'query($x: Int!){images(page:$x){count}}', '{__schema{queryType{name}}}', '{me{roleName}}', 'mutation{createImages(images:[]){__typename}}'])
    for (const n of [1,2]) { const a = await client.rest('POST', '/graphql', { query: q }); show(q + n, { ...a, body: JSON.stringify(a.body).slice(0,300)}); }
  expect(1).toBe(1);
});
it('poison', async () => {
  const c = await world.client();
  show('date nul', await c.rest('POST', '/imgs/x?wait=true', { src_path: 't.png', date: '2023\0' }, { Prefer: 'wait=2' }));
  const d = await world.client();
  show('strict unknown nul', await d.rest('POST', '/imgs/x?wait=true&strict=true', { src_path: 't.png', 'a\0b': '2023' }, { Prefer: 'wait=2' }));
  const e = await world.client();
  show('cut pair', await e.rest('POST', '/imgs/x?wait=true&strict=true', { src_path: 't.png', date: 'x'.repeat(39) + '😀' }, { Prefer: 'wait=2' }));
});
it('413', async () => {
  for (let i = 0; i < 5; i++) {
    try { show('413', await client.rest('POST', '/imgs', '[' + ' '.repeat(33 * 2**20) + ']')); } catch (e) { console.log('413 fail', String((e as any).cause)); }
    try { const a = await fetch(world.url + '/imgs', { method: 'POST', headers: { 'API-Key': client.key }, body: new ReadableStream({ start(c) { for (let j = 0; j < 34; j++) c.enqueue(new Uint8Array(2**20)); c.close(); } }), duplex: 'half' } as any); console.log('chunked', a.status, await a.text()); } catch (e) { console.log('chunked fail', String((e as any).cause)); }
  }
});
