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

const mine = f.anyOf('collections', ['A day']);
const { name: watched } = await vitrine.formulas.save(`Day ${Date.now()}`, mine, { watching: true });
const imported = await vitrine.images.create(records, { lang: 'en' });
for await (const { type, num_good: good, num_total: total } of imported.follow()) say(`${type}: ${good} of ${total}`);
await imported.wait();
const told = vitrine.formulas.follow(watched, { after: 0 });
for (const _ of records) say(`Told of ${(await told.next()).value.id}`);
await told.return();
await vitrine.formulas.delete(watched);

const patched = await vitrine.images.patchWhere(mine, { country: 'Spain', keywords: { add: ['day'] } });
say(`Changed ${(await patched.wait()).num_good} records`);
await (await patched.undo()).wait();
say(`Taken back: ${await vitrine.images.count(f.and(mine, f.eq('country', 'Spain')))} are in Spain`);
for await (const { title } of vitrine.images.search(mine, { sort: 'title', order: 'asc' })) say(`Found ${title}`);

const file = await vitrine.images.export(mine, { format: 'csv', fields: ['title', 'width', 'height'] });
writeFileSync('day.csv', await file.text());
say('Exported to day.csv');
