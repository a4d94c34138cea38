// A whole day in forty lines: VITRINE_URL=http://127.0.0.1:4000 VITRINE_KEY=… node whole-day.js PICTURE…
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import process from 'node:process';
import { f, Vitrine } from '@vitrine/client';

const { VITRINE_URL: url = 'http://127.0.0.1:4000', VITRINE_KEY: key = '' } = process.env;
const vitrine = new Vitrine({ url, key });
const say = (text) => process.stdout.write(`${text}\n`);

const { client_name: name, role_name: role } = await vitrine.me();
say(`Signed in as ${name}, ${role}`);

const records = [];
for (const path of process.argv.slice(2)) {
  const file = new Blob([readFileSync(path)], { type: 'image/jpeg' });
  const { src_path } = await vitrine.uploads.send(file, { name: basename(path) });
  records.push({ id: `day:${basename(path)}`, src_path, title: basename(path), collections: ['A day'] });
}
say(`Uploaded ${records.length} files`);

const imported = await vitrine.images.create(records, { lang: 'en' });
for await (const { type, num_good: good, num_total: total } of imported.follow()) say(`${type}: ${good} of ${total}`);
await imported.wait();

const mine = f.anyOf('collections', ['A day']);
const patched = await vitrine.images.patchWhere(mine, { country: 'Spain', keywords: { add: ['day'] } });
say(`Changed ${(await patched.wait()).num_good} records`);
await (await patched.undo()).wait();
say(`Taken back: ${await vitrine.images.count(f.and(mine, f.eq('country', 'Spain')))} are in Spain`);

const rows = [['id', 'title', 'width', 'height']];
const fields = ['image_id', 'title', 'width', 'height'];
for await (const image of vitrine.images.search(mine, { fields, sort: 'title', order: 'asc' })) {
  rows.push(fields.map((field) => String(image[field])));
}
writeFileSync('day.csv', rows.map((row) => `${row.join(',')}\n`).join(''));
say(`Exported ${rows.length - 1} records to day.csv`);
