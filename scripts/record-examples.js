// Records real replies of the service as the examples of docs/openapi.json: starts it on an empty data folder with
// the pictures and the video of examples/, sends the requests below in order, and writes rest/examples.json.
// Run it when the form of a reply changes: npm run build && node scripts/record-examples.js && npm run generate
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import * as prettier from 'prettier';
import { readConfig } from '../dist/src/config/config.js';
import { createLogger } from '../dist/src/observability/logger.js';
import { serve } from '../dist/src/app/serve.js';
import { createApiKey } from '../dist/src/tenants/index.js';

const pictures = resolve('examples/pictures');
const videos = resolve('examples/videos');
const catalog = JSON.parse(readFileSync('examples/catalog.json', 'utf8'));
const [airplane, lily, dustBowl, alps, cat, boats] = catalog;
const { id: _, ...withoutId } = lily;
const copies = [airplane, lily, dustBowl].map((picture, index) => ({ ...picture, id: `example-${index + 1}` }));
const clip = {
  src_path: 'nagasaki-pan.mp4',
  title: 'Boats in a river, Nagasaki',
  description: 'The view goes from left to right over the boats.',
  date: '1865',
  city: 'Nagasaki',
  country: 'Japan',
  keywords: ['boats', 'river'],
};
/** Stands for the id of the first write, which differs in each run. */
const firstOperation = '{first}';
/** The service's name for that picture, which is derived from its content. */
const queryImage = 'qh_y55af5m772pv9y4mvdv4g1739y';
const picture = () => new Blob([readFileSync(join(pictures, airplane.src_path))], { type: 'image/jpeg' });

const everything = { caption: 'true', keywords: 'true', ocr: 'true', colors: 'true' };

/**
 * Endpoint, what the example shows, target, content, caller. A request without a description is sent but not
 * recorded. Whoever tries an example on a catalog with the pictures of examples/ must not change or delete those, so
 * the examples use copies.
 */
const requests = [
  ['POST /imgs', 'Three pictures, waited for', '/imgs?wait=true&lang=en', [airplane, lily, dustBowl]],
  ['POST /imgs', 'Accepted, to be followed by its operation', '/imgs?lang=en', [alps, cat]],
  [
    'POST /imgs',
    'An element that cannot be stored',
    '/imgs?wait=true',
    [{ id: 'boats', src_path: 'no-such-file.jpg' }],
  ],
  ['POST /imgs', 'An element without id', '/imgs', [{ src_path: 'airplane-from-above.jpg' }]],
  ['POST /imgs', 'Not JSON', '/imgs', '[{"id": "boats",}]'],
  ['POST /imgs', 'Not UTF-8', '/imgs', Buffer.from([0x5b, 0xff, 0x5d])],
  ['POST /imgs/{image_id}', 'One picture, waited for', '/imgs/nagasaki?wait=true', { ...boats, id: undefined }],
  ['POST /imgs/{image_id}', 'The id exists', '/imgs/airplane?wait=true', { src_path: airplane.src_path }],
  ['GET /imgs/{image_id}', 'The default fields', '/imgs/airplane'],
  ['GET /imgs/{image_id}', 'Some fields', '/imgs/airplane?fields=title&fields=keywords&fields=date'],
  ['GET /imgs/{image_id}', 'No such picture', '/imgs/nowhere'],
  ['GET /imgs/{image_id}', 'A field that does not exist', '/imgs/airplane?fields=colour'],
  ['GET /imgs', 'Sorted by title and counted', '/imgs?limit=2&sort_by=title&sort_order=asc&count=true'],
  ['GET /imgs', 'The first page of a walk by cursor', '/imgs?limit=2&cursor='],
  ['GET /imgs', 'Limits are exceeded', '/imgs?limit=0&sort_order=up'],
  ['POST /imgs', null, '/imgs?wait=true&lang=en', copies],
  ['PATCH /imgs/{image_id}', 'One field is changed', '/imgs/example-1?wait=true', { city: 'Rome' }],
  [
    'PATCH /imgs',
    'One element is missing',
    '/imgs?wait=true',
    [
      { id: 'example-1', nsfw: false },
      { id: 'nowhere', city: null },
    ],
  ],
  ['PUT /imgs/{image_id}', 'A record is replaced', '/imgs/example-2?wait=true&lang=en', withoutId],
  [
    'PUT /imgs',
    'Replaced, or created where missing',
    '/imgs?wait=true&upsert=true&lang=en',
    [copies[0], { ...cat, id: 'example-4' }],
  ],
  ['GET /ops/', 'The newest', '/ops/?limit=2'],
  ['GET /ops/{op_id}', 'A finished one', `/ops/${firstOperation}`],
  ['GET /ops/{op_id}', 'No such operation', '/ops/1'],
  ['DELETE /ops/{op_id}', 'A finished one stays as it is', `/ops/${firstOperation}`],
  ['DELETE /imgs/{image_id}', 'One picture', '/imgs/example-1?wait=true'],
  ['DELETE /imgs', 'Two pictures', '/imgs?wait=true', [{ id: 'example-2' }, { id: 'example-3' }]],
  ['POST /imgs/delete', 'Several pictures', '/imgs/delete', [{ id: 'example-4' }]],
  ['POST /vids/{video_id}', 'One video, waited for', '/vids/nagasaki?wait=true&lang=en', clip],
  ['GET /vids/{video_id}', 'The default fields', '/vids/nagasaki'],
  [
    'GET /vids/{video_id}',
    'Facts from the file',
    '/vids/nagasaki?fields=container&fields=codec_video&fields=width&fields=height&fields=fps&fields=duration_secs',
  ],
  ['GET /vids/{video_id}', 'No such video', '/vids/nowhere'],
  ['GET /vids', 'By a formula, counted', '/vids?q=keywords:boats duration_secs:1..&count=true&facets=country'],
  ['POST /vids', null, '/vids?wait=true&lang=en', [{ id: 'example-1', ...clip }]],
  ['PATCH /vids/{video_id}', 'One field is changed', '/vids/example-1?wait=true', { city: 'Nagasaki-shi' }],
  ['PUT /vids/{video_id}', 'A record is replaced', '/vids/example-1?wait=true&lang=en', clip],
  ['POST /vids', 'A file that is no video', '/vids?wait=true', [{ id: 'boats', src_path: boats.src_path }]],
  ['PATCH /vids', 'One video', '/vids?wait=true', [{ id: 'example-1', nsfw: false }]],
  ['PUT /vids', 'Created where missing', '/vids?wait=true&upsert=true&lang=en', [{ id: 'example-2', ...clip }]],
  ['DELETE /vids/{video_id}', 'One video', '/vids/example-2?wait=true'],
  ['DELETE /vids', 'Several videos', '/vids', [{ id: 'example-1' }]],
  ['POST /vids/delete', 'Several videos', '/vids/delete', [{ id: 'example-1' }]],
  ['GET /me', 'An admin', '/me'],
  ['GET /me', 'No key', '/me', undefined, { 'API-Key': '' }],
  ['GET /me', 'A key that is not valid', '/me', undefined, { 'API-Key': 'vt_unknown' }],
  ['POST /imgs', 'A viewer writes', '/imgs', [airplane], 'viewer'],
  ['POST /query_imgs', 'A picture to search by', '/query_imgs', { image: picture }],
  ['GET /imgs', 'The same picture as a query image', `/imgs?q=i=${queryImage}&fields=image_id&count=true`],
  ['GET /imgs', 'A query image that is not there', '/imgs?q=i==qh_01hzx3k9q2v7m4n8p5r6s7t8v9'],
  ['POST /query_imgs', 'A file that is no picture', '/query_imgs', { image: () => new Blob(['a text']) }],
  ['POST /uploads', 'A picture to be the source of a record', '/uploads', { file: picture }],
  ['POST /tag/image', 'Everything of an upload', '/tag/image', { ...everything, image: picture, city: 'Rome' }],
  ['POST /tag/image', 'Nothing to tag', '/tag/image', { colors: 'true' }],
  ['GET /health', 'Alive', '/health'],
  ['GET /ready', 'Ready', '/ready'],
];

function encode(endpoint, body) {
  if (body === undefined) return {};
  if (typeof body === 'string' || Buffer.isBuffer(body))
    return { body, headers: { 'Content-Type': 'application/json' } };
  if (!/^POST \/(?:tag|query_imgs|uploads)/.test(endpoint)) {
    return { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (typeof value === 'function') form.set(name, value(), airplane.src_path);
    else form.set(name, value);
  }
  return { body: form };
}

const noRoute = JSON.stringify({ detail: 'Not Found' });

async function record({ url, keys }) {
  const records = [];
  let first = '';
  for (const [endpoint, name, target, content, caller = 'admin'] of requests) {
    const [method] = endpoint.split(' ');
    const { body, headers } = encode(endpoint, content);
    const access = typeof caller === 'string' ? { 'API-Key': keys[caller] } : caller;
    const prefer = target.includes('wait=true') ? { Prefer: 'wait=120' } : {};
    const path = target.replace(firstOperation, first);
    const answer = await fetch(url + path, { method, body, headers: { ...headers, ...access, ...prefer } });
    const text = await answer.text();
    if (answer.status >= 500 || text === noRoute) {
      process.stderr.write(`not recorded: ${method} ${path} answered ${answer.status} ${text}\n`);
      continue;
    }
    if (first === '') first = String(JSON.parse(text).operation_id);
    if (name === null) continue;
    const isPlain = typeof content === 'object' && !Buffer.isBuffer(content) && !(body instanceof FormData);
    records.push({
      endpoint,
      name,
      ...(isPlain && answer.status < 400 && { request: JSON.parse(body) }),
      status: answer.status,
      answer: JSON.parse(text),
    });
  }
  return records;
}

const folder = mkdtempSync(join(tmpdir(), 'vitrine-examples-'));
const config = readConfig({
  PORT: '0',
  DATA_DIR: folder,
  MEDIA_ROOTS: `${pictures}:${videos}`,
  ADMIN_API_KEY: 'vt_an-admin-key-of-the-examples',
});
const service = await serve(config, createLogger('error'));
try {
  const { id: tenantId } = await service.backing.database.prisma.tenant.findFirstOrThrow();
  const viewer = await createApiKey(service.backing.database, { tenantId, name: 'viewer', role: 'viewer' });
  const records = await record({ url: service.url, keys: { admin: config.adminApiKey, viewer: viewer.secret } });
  const path = 'rest/examples.json';
  const options = { ...(await prettier.resolveConfig(path)), filepath: path };
  writeFileSync(path, await prettier.format(JSON.stringify(records), options));
  process.stdout.write(`recorded ${records.length} answers in ${path}\n`);
} finally {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
}
