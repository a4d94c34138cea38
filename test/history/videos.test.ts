import { afterAll, beforeAll, expect, it } from 'vitest';
import { analyzerOf } from '../support/analyzers.ts';
import { clipInto } from '../support/clips.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { allAttached, allRecords } from './support.ts';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld({ analyses: true, imageAnalyzer: analyzerOf() });
  client = await world.client();
  await clipInto(world.media, 'a.webm');
}, 120_000);
afterAll(() => world.close());

const everything = async () => [
  await allRecords(world, 'video'),
  await allAttached(world, ['video_analysis', 'video_frame']),
];

it('a deleted video comes back with its frames and its analysis, which are not made again', async () => {
  await client.write('POST', '/vids/film', { src_path: 'a.webm', title: 'Bars' });
  const before = await everything();
  expect(before[0]).toMatchObject({ film: { ai_status: 'ready' } });
  const deleted = await client.write('DELETE', '/vids/film');
  const undone = await client.write('POST', `/ops/${deleted.operation_id}/undo`);
  expect(undone).toMatchObject({ num_good: 1, num_bad: 0 });
  expect(undone.stages).toMatchObject([{}, { num_total: 0 }]);
  expect(await everything()).toEqual(before);
}, 120_000);

it('a video that is read anew gets its former reading back', async () => {
  const before = await everything();
  const replaced = await client.write('PUT', '/vids/film', { src_path: 'a.webm', title: 'Again' });
  expect(await everything()).not.toEqual(before);
  expect(await client.write('POST', `/ops/${replaced.operation_id}/undo`)).toMatchObject({ num_good: 1 });
  expect(await everything()).toEqual(before);
  const { body } = await client.rest('GET', '/vids/film/history?limit=1');
  expect(body.results[0].fields).toMatchObject([{ field: 'title', before: 'Again', after: 'Bars' }]);
}, 120_000);
