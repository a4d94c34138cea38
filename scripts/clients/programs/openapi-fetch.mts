// With openapi-fetch and the types of openapi-typescript.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { components, paths } from './vitrine.ts';

const { VITRINE_URL: baseUrl = '', VITRINE_KEY: key = '', IMAGE_ID: id = '', IMAGE_PATH, PICTURE = '' } = process.env;
const client = createClient<paths>({ baseUrl, headers: { 'API-Key': key } });
const path = { image_id: id };

function expected<T>(value: T | undefined, error: unknown): T {
  if (value === undefined) throw new Error(JSON.stringify(error));
  return value;
}

const body: components['schemas']['ImageCreate'] = {
  src_path: IMAGE_PATH,
  title: id,
  country: 'Iceland',
  keywords: ['one', 'two'],
};
const header = { Prefer: 'wait=120' };
const create = await client.POST('/imgs/{image_id}', {
  params: { path, query: { wait: true, lang: 'en' }, header },
  body,
});
const created = expected(create.data, create.error);
if (!('num_good' in created)) throw new Error('the picture was not waited for');

const fields: components['schemas']['ImageField'][] = ['title', 'keywords'];
const get = await client.GET('/imgs/{image_id}', { params: { path, query: { fields } } });
const read = expected(get.data, get.error);
const list = await client.GET('/imgs', {
  params: { query: { q: `title="${id}"`, fields, facets: ['country'], count: true } },
});
const page = expected(list.data, list.error);

const nowhere = await client.GET('/imgs/{image_id}', { params: { path: { image_id: 'nowhere' } } });
const missing: string =
  nowhere.response.status === 404 && typeof nowhere.error?.detail === 'string' ? nowhere.error.detail : '';
const wrong = await client.GET('/imgs', { params: { query: { q: 'contry:es' } } });
const faults = wrong.error?.detail;
const fault: string | undefined = Array.isArray(faults) ? faults[0]?.type : undefined;

const patch = await client.PATCH('/imgs/{image_id}', { params: { path }, body: { city: 'Vik' } });
const accepted = expected(patch.data, patch.error);
if (!('msg' in accepted)) throw new Error('the change was not accepted for later');
const poll = async () => {
  const answer = await client.GET('/ops/{op_id}', { params: { path: { op_id: accepted.operation_id } } });
  return expected(answer.data, answer.error);
};
let operation = await poll();
for (let tries = 0; !operation.is_finished && tries < 600; tries += 1) {
  await sleep(100);
  operation = await poll();
}

const tag = await client.POST('/tag/image', {
  body: { colors: true },
  bodySerializer(given) {
    const form = new FormData();
    form.set('image', new Blob([readFileSync(PICTURE)], { type: 'image/jpeg' }), 'picture.jpg');
    form.set('colors', String(given?.colors));
    return form;
  },
});
const tags = expected(tag.data, tag.error);
const remove = await client.DELETE('/imgs/{image_id}', { params: { path, query: { wait: true }, header } });
const removed = expected(remove.data, remove.error);
if (!('num_good' in removed)) throw new Error('the deletion was not waited for');

const facet = page.facets['country']?.[0];
console.log(
  JSON.stringify({
    created: created.num_good,
    title: read.title,
    keywords: read.keywords,
    listed: page.results[0]?.title,
    count: page.count,
    facet: [facet?.value, facet?.count],
    missing,
    fault,
    changed: operation.num_good,
    finished: operation.is_finished,
    color: tags.colors?.[0]?.hex,
    deleted: removed.num_good,
  }),
);
