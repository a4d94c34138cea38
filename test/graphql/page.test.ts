import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient as createSseClient } from 'graphql-sse';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { openWorld } from '../support/world.ts';
import type { Client, GraphQLAnswer, World } from '../support/world.ts';
import { full } from '../support/effort.ts';

const read = (...path: string[]) => readFileSync(join(packageRoot, ...path), 'utf8');
const pictures = join(packageRoot, 'examples', 'pictures');
const documents = [...read('docs', 'graphql.md').matchAll(/```graphql\n([\s\S]*?)```/g)].map(([, text = '']) => text);

let world: World;
let client: Client;

beforeAll(async () => {
  world = await openWorld({ mediaRoots: [pictures] });
  client = await world.client();
  await client.write('POST', '/imgs', read('examples', 'catalog.json'));
});
afterAll(() => world.close());

async function upload(query: string): Promise<GraphQLAnswer> {
  const form = new FormData();
  form.append('operations', JSON.stringify({ query, variables: { image: null } }));
  form.append('map', JSON.stringify({ 0: ['variables.image'] }));
  form.append('0', new Blob([new Uint8Array(readFileSync(join(pictures, 'nagasaki-boats.jpg')))]), 'photo.jpg');
  const answer = await fetch(`${world.url}/graphql`, {
    method: 'POST',
    body: form,
    headers: { 'API-Key': client.key },
  });
  return (await answer.json()) as GraphQLAnswer;
}

async function follow(query: string, variables: Record<string, unknown>): Promise<GraphQLAnswer> {
  const headers = { 'API-Key': client.key };
  const events = createSseClient({ url: `${world.url}/graphql`, headers, retryAttempts: 0 });
  let last: unknown;
  for await (const event of events.iterate({ query, variables })) last = event;
  return last as GraphQLAnswer;
}

it('the page about GraphQL has documents that run as they stand, one after the other', full, async () => {
  // The page sends this one with curl.
  const searched = await upload('mutation ($image: Upload!) { uploadQueryImage(image: $image) { hash } }');
  const answers: Record<string, GraphQLAnswer['data']> = {};
  for (const document of documents) {
    const [, kind = '', name = ''] = /^(\w+) (\w+)/.exec(document) ?? [];
    const variables = {
      operation: answers['Store']?.createImages.id,
      id: 'boats',
      cursor: answers['Find']?.images.cursor ?? null,
      formula: `i=${searched.data?.uploadQueryImage.hash}`,
    };
    const asked = Object.fromEntries(Object.entries(variables).filter(([each]) => document.includes(`$${each}`)));
    const { data, errors } = document.includes('$image: Upload')
      ? await upload(document)
      : kind === 'subscription'
        ? await follow(document, asked)
        : await client.graphql(document, asked);
    expect(errors, name).toBeUndefined();
    answers[name] = data;
  }
  expect(answers).toMatchObject({
    Store: { createImages: { numGood: 1, numBad: 0 } },
    Follow: { operationProgress: { type: 'finished', numGood: 1 } },
    Find: { images: { count: 3, cursor: expect.any(String), results: [{ date: '1865' }, { date: '1865' }] } },
    Connect: { imagesConnection: { totalCount: 3, pageInfo: { hasNextPage: true } } },
    Same: { images: { results: [] } }, // Nothing is analyzed here.
    Tag: { tagImage: { caption: expect.stringContaining('Nagasaki'), warnings: [] } },
    Compare: { findDuplicates: { isFinished: true } },
    Change: { updateImages: { allGood: true } },
    Grant: { createApiKey: { secret: expect.any(String) } },
  });
});
