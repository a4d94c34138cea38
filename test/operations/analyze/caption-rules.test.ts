import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createImageAnalyzer } from '../../../src/analysis/image-analyzer.ts';
import type { CaptionRulesOf } from '../../../src/analysis/image-analyzer.ts';
import { createHuggingFace } from '../../../src/analysis/providers/huggingface/index.ts';
import { createCaptionRules } from '../../../src/tenants/index.ts';
import { openInferenceServer, says } from '../../analysis/providers/inference-server.ts';
import type { InferenceServer } from '../../analysis/providers/inference-server.ts';
import { sharedBuiltinAnalyzer } from '../../support/shared-analyzer.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { tenantIdOf } from '../support.ts';
import { full } from '../../support/effort.ts';

let server: InferenceServer;
beforeAll(async () => {
  server = await openInferenceServer();
});
beforeEach(() => {
  server.asked.length = 0;
  server.faults.length = 0;
});
afterAll(() => server.close());

/** A world whose captions a model behind the server writes; the rules are read anew for each picture. */
async function openPromptedWorld(fallsBack: boolean): Promise<World> {
  let world: World | undefined;
  const captionRules: CaptionRulesOf = (owner) => {
    if (world === undefined) throw new Error('the world is not open yet');
    return createCaptionRules(world.backing.database)(owner);
  };
  const provider = createHuggingFace({ serves: ['caption'], models: {}, endpoint: server.endpoint, candidates: [] });
  const builtin = { colors: '1', caption: '4' };
  const imageAnalyzer = createImageAnalyzer({
    builtinAnalyzer: sharedBuiltinAnalyzer,
    builtin,
    providers: [provider],
    fallsBack,
    captionRules,
  });
  world = await openWorld({ analyses: true, imageAnalyzer });
  await world.picture('p.png');
  return world;
}

const setRules = (client: Client, rules: string) =>
  client.graphql(`mutation { setCaptionRules(${rules}) { style langs words forbidden } }`);

const read = async (client: Client, id: string) =>
  (
    await client.graphql(`{ image(id: "${id}") { aiStatus caption lockedFields provenance { field source analyzer }
      proposals { field values } ai { caption(lang: en) es: caption(lang: es) warnings { analyzer code message } } } }`)
  ).data.image;

describe('captions of stored pictures', () => {
  let world: World;
  let client: Client;
  beforeAll(async () => {
    world = await openPromptedWorld(false);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    client = await world.client({ role: 'admin' });
    const id = await tenantIdOf(world, client);
    await world.backing.database.prisma.tenant.update({ where: { id }, data: { aiFill: true } });
  });

  it('are asked for as the tenant wants, with date, place and event of the record, and fill empty fields', async () => {
    const { data } = await setRules(
      client,
      'style: "Present tense", langs: ["es", "en"], words: 30, forbidden: ["mob"]',
    );
    expect(data.setCaptionRules).toEqual({
      style: 'Present tense',
      langs: ['en', 'es'],
      words: 30,
      forbidden: ['mob'],
    });
    server.faults.push(says({ es: 'Una mob corre.', en: 'A dog runs.' }));
    server.faults.push(says({ es: 'Una multitud corre.', en: 'A dog runs.' }));
    const known = { date: '2026-05-01', city: 'Vigo', country: 'ES', event: 'Día del Trabajo' };
    await client.write('POST', '/imgs/a?lang=es', { src_path: 'p.png', ...known });
    expect(server.asked).toHaveLength(2);
    const prompt = server.asked[0]?.json.messages[0].content[0].text;
    expect(prompt).toContain('house style: Present tense');
    for (const value of Object.values(known)) expect(prompt).toContain(JSON.stringify(value));
    expect(await read(client, 'a')).toMatchObject({
      aiStatus: 'ready',
      caption: 'Una multitud corre.',
      provenance: expect.arrayContaining([
        { field: 'caption', source: 'analyzer', analyzer: 'huggingface:Qwen/Qwen2.5-VL-7B-Instruct' },
      ]),
      ai: { caption: 'A dog runs.', es: 'Una multitud corre.', warnings: [] },
    });
  });

  it('never replace the words of a person, and leave locked fields empty', async () => {
    await client.write('POST', '/imgs/own?lang=es', { src_path: 'p.png', caption: 'Lo que escribió una persona.' });
    await client.write('POST', '/imgs/locked?lang=es', { src_path: 'p.png', locked_fields: ['caption'] });
    const again = (id: string) =>
      client.graphql(`mutation { analyzeImages(ids: ["${id}"], force: true, wait: true) { __typename } }`);
    for (const id of ['own', 'locked']) await again(id);
    expect(await read(client, 'own')).toMatchObject({
      caption: 'Lo que escribió una persona.',
      proposals: [],
      ai: { es: 'Un perro corre.' },
    });
    expect(await read(client, 'locked')).toMatchObject({ caption: null, proposals: [], ai: { es: 'Un perro corre.' } });
  });

  it('that break the rules twice are not kept, which the record and the operation say; other results stay', async () => {
    await setRules(client, 'words: 3');
    const long = says({ es: 'Un perro corre por la playa.' });
    server.faults.push(long, long);
    const record = await client.write('POST', '/imgs/a?lang=es', { src_path: 'p.png' });
    const message = 'Generated captions were not kept: "es" has 6 words, and 3 are allowed';
    expect(record.analysis_errors).toEqual([]);
    expect(record.warnings).toMatchObject([{ code: 'caption_refused', field: 'caption', count: 1 }]);
    expect(await read(client, 'a')).toMatchObject({
      aiStatus: 'ready',
      caption: null,
      proposals: [],
      ai: { caption: null, es: null, warnings: [{ analyzer: 'caption', code: 'caption_refused', message }] },
    });
  });
});

it(
  'the built-in analyzer writes the caption that breaks the rules twice, if it stands in for models',
  full,
  async () => {
    const world = await openPromptedWorld(true);
    const client = await world.client({ role: 'admin' });
    await setRules(client, 'forbidden: ["dog"]');
    await client.write('POST', '/imgs/a?lang=en', { src_path: 'p.png' });
    expect(server.asked).toHaveLength(2);
    const { aiStatus, ai } = await read(client, 'a');
    expect([aiStatus, ai.caption, ai.es]).toEqual(['ready', null, 'Un perro corre.']);
    server.faults.push(says({ en: 'A dog' }), says({ en: 'The dog' }));
    await client.graphql('mutation { analyzeImages(ids: ["a"], force: true, wait: true) { __typename } }');
    const message = expect.stringContaining('"en" has the forbidden word "dog"');
    expect(await read(client, 'a')).toMatchObject({
      aiStatus: 'stale',
      ai: { caption: '', warnings: expect.arrayContaining([{ analyzer: 'caption', code: 'fallback_used', message }]) },
    });
    await world.close();
  },
);
