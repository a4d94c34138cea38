import { expect, it } from 'vitest';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
});

const fields = '{ style langs words forbidden }';
const set = (client: Client, rules: string) => client.graphql(`mutation { setCaptionRules(${rules}) ${fields} }`);
const none = { style: null, langs: [], words: null, forbidden: [] };

it('what is not given stays, null or an empty list takes a rule away, and each change is in the audit trail', async () => {
  const client = await world.client({ role: 'admin' });
  const read = async () => (await client.graphql(`{ captionRules ${fields} }`)).data.captionRules;
  expect(await read()).toEqual(none);
  await set(client, 'style: " Short ", langs: ["fr"], words: 20, forbidden: ["a b", "c"]');
  await set(client, 'words: 25');
  expect(await read()).toEqual({ style: 'Short', langs: ['fr'], words: 25, forbidden: ['a b', 'c'] });
  const { data } = await set(client, 'style: null, langs: [], forbidden: [], dryRun: true');
  expect(data.setCaptionRules).toEqual({ ...none, words: 25 });
  expect(await read()).toMatchObject({ style: 'Short', langs: ['fr'] });
  await set(client, 'style: null, langs: [], words: null, forbidden: []');
  expect(await read()).toEqual(none);
  const trail = await client.graphql('{ auditTrail(limit: 50) { results { action subject keyPrefix } } }');
  const subjects = trail.data.auditTrail.results
    .filter(({ action }: { action: string }) => action === 'tenant.changed')
    .map(({ subject }: { subject: string }) => subject);
  expect(subjects.toReversed()).toEqual([
    'caption_style=Short', 'caption_langs=fr', 'caption_words=20', 'caption_forbidden=a b,c', 'caption_words=25',
    'caption_style=none', 'caption_langs=none', 'caption_words=none', 'caption_forbidden=none',
  ]); // prettier-ignore
});

it.each([
  ['style', 'style: ""'],
  ['style', `style: "${'x'.repeat(501)}"`],
  ['langs', 'langs: ["de"]'],
  ['words', 'words: 2'],
  ['words', 'words: -30'],
  ['forbidden', 'forbidden: [""]'],
  ['forbidden', `forbidden: ["${'x'.repeat(41)}"]`],
])('%s is refused, with what it can be: %s', async (argument, rules) => {
  const client = await world.client({ role: 'admin' });
  const { errors } = await set(client, `${rules}, dryRun: false`);
  expect(errors?.[0]).toMatchObject({
    message: expect.stringContaining(`${argument}: expected`),
    extensions: { code: 'invalid_argument' },
  });
  expect((await client.graphql(`{ captionRules ${fields} }`)).data.captionRules).toEqual(none);
});

it('editors neither read nor change them', async () => {
  const editor = await world.client({ role: 'editor' });
  const { errors } = await set(editor, 'words: 30');
  expect(errors?.[0]).toMatchObject({ extensions: { code: 'forbidden', requiredScope: 'tenant:write' } });
});
