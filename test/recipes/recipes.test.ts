import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { full } from '../support/effort.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { emptyDatabase } from '../support/database.ts';
import { launch, ready, stop } from '../support/program.ts';
import type { Run } from '../support/program.ts';
import { createClient } from '../support/world.ts';
import type { Client } from '../support/world.ts';
import { copyTree } from '../support/tree-copy.ts';
import type { TreeCopy } from '../support/tree-copy.ts';

/** What `npm run generate` and `npm run migration` write. */
const generated = [
  /^schema\.graphql$/,
  /^clients\/typescript\/src\/generated\/.*$/,
  /^clients\/python\/src\/vitrine_client\/(?:models|tables|_sync\/\w+)\.py$/,
  /^docs\/.*$/,
  /^console\/src\/api\/documents\.ts$/,
  /^prisma\/functions\/(?:image|video)_(?:search|facets|facets_recount|history|state)\.sql$/,
  /^deploy\/grafana-dashboard\.json$/,
];

const key = 'a-key-for-the-test-of-recipes';
const squeezed = (text: string) => text.trim().replaceAll(/\s+/g, ' ');
const recipes = squeezed(readFileSync(join(packageRoot, 'CONTRIBUTING.md'), 'utf8'));

let tree: TreeCopy;
let service: Run;
let client: Client;
const database = emptyDatabase(inject('postgresUrl'));
/** By recipe, the files that a person wrote or asked a script for. */
const touched: Record<string, readonly string[]> = {};

/** Puts a text of CONTRIBUTING.md into a file. */
function insertRecipe(path: string, before: string, text: string): void {
  expect(recipes, `CONTRIBUTING.md, ${path}`).toContain(squeezed(text));
  tree.insert(path, before, text);
}

async function follow(name: string, steps: () => Promise<void> | void): Promise<void> {
  await steps();
  touched[name] = (await tree.changed()).filter((path) => !generated.some((each) => each.test(path))).toSorted();
  await tree.commit(name);
}

function addField(): Promise<unknown> {
  insertRecipe(
    'src/catalog/fields.ts',
    "  field('created_at'",
    "  field('lens', 'keyword', 'Lens that the picture was taken with.', { ...listed, ...ofImages, es: 'objetivo' }),\n",
  );
  insertRecipe('prisma/schema.prisma', '  medium          String?', '  lens            String?\n');
  return tree.run('npm', 'run', '--silent', 'migration', '--', 'lens_of_images');
}

const row = `  {
    method: 'GET',
    path: '/ops/{op_id}/warnings',
    summary: 'Warnings of an operation',
    scope: 'ops:read',
    document: 'list-operation-warnings',
    answers: [valueAt(200, 'What is probably not what was meant.', 'operation', 'warnings')],
    parameters: [opId],
    variables: ({ values }) => ({ id: toId(values['op_id']) }),
    reply: (data) => {
      const { body } = found(data, 'operation', 'Operation not found');
      return { status: 200, body: (body as Record<string, unknown>)['warnings'] };
    },
  },
`;

const document = `query ListOperationWarnings($id: BigInt!) {
  operation(id: $id) {
    warnings {
      code
      msg
      field
      count
      position
    }
  }
}
`;

function addEndpoint(): void {
  expect(recipes).toContain(squeezed(document));
  tree.write('rest/documents/list-operation-warnings.graphql', document);
  insertRecipe('rest/endpoints/operations.ts', "  {\n    method: 'GET',\n    path: '/ops/{op_id}/events',", row);
}

const analyzer = `import type { Raster } from '../raster.ts';

declare module '../facts.ts' {
  interface Facts {
    /** Mean of all values, 0 to 1. */
    readonly brightness: number;
  }
}

/** How bright a picture is. */
export function measureBrightness({ data }: Raster): number {
  return data.reduce((sum, value) => sum + value, 0) / (255 * data.length);
}
`;

const analyzerRow = `  brightness: {
    version: '1',
    needs: ['small'],
    after: [],
    maxSeconds: 10,
    run: async ({ small }) => (await import('./analyzers/brightness.ts')).measureBrightness(pixels(small)),
    merge: (results) => results.reduce((sum, each) => sum + each, 0) / results.length,
    shown: [
      {
        name: 'brightness',
        type: 'Float',
        description: 'How bright it is, 0 to 1.',
        ofVideo: 'How bright its frames are, 0 to 1; their mean.',
        value: (brightness) => brightness,
        print: (brightness) => brightness.toFixed(2),
      },
    ],
  },
`;

function addAnalyzer(): void {
  expect(recipes).toContain(squeezed(analyzer));
  tree.write('src/analysis/analyzers/brightness.ts', analyzer);
  insertRecipe('src/analysis/analyzers.ts', '  embedded: {\n', analyzerRow);
}

const operatorRow = `  isnt: {
    takes: 'flags',
    example: 'isnt:nsfw',
    description: 'A flag that is known to be false, such as isnt:nsfw.',
  },
`;

const operatorMeaning = `  isnt: (term, resource) => {
    const test = checkFlagName(term, resource);
    return test.kind === 'boolean' ? { ...test, value: false } : negated(test);
  },
`;

function addOperator(): void {
  insertRecipe('src/search/formula/parse/flag-operators.ts', '  is: {\n', operatorRow);
  insertRecipe('src/search/formula/check/check-flag.ts', '  is: checkFlagName,', operatorMeaning);
}

beforeAll(async () => {
  tree = await copyTree();
  await follow('endpoint', addEndpoint);
  await follow('analyzer', addAnalyzer);
  await follow('operator', addOperator);
  await follow('field', async () => void (await addField())); // It builds and generates for all of them.
  const { url } = await database;
  const environment = {
    DATABASE_URL: url,
    DATA_DIR: join(tree.folder, 'data'),
    MEDIA_ROOTS: join(packageRoot, 'examples', 'pictures'),
    ADMIN_API_KEY: key,
    PORT: '0',
  };
  service = launch(['serve'], environment, tree.folder, tree.folder);
  const address = await ready(service);
  client = createClient(address ?? '', key);
}, 300_000);

afterAll(async () => {
  if (service !== undefined) await stop(service);
  tree?.remove();
  await (await database).drop();
});

it('leave a tree whose generated files are current and whose types are right', full, async () => {
  expect(await tree.run('npx', 'tsc', '-p', 'tsconfig.json')).toBe('');
  expect(await tree.run('node', 'scripts/generate.js', '--check')).toBe('');
});

describe('a new field of images', full, () => {
  it('is its row, its column and its migration', () => {
    expect(touched['field']).toEqual([
      expect.stringMatching(/^prisma\/migrations\/\d{14}_lens_of_images\/migration\.sql$/),
      'prisma/schema.prisma',
      'src/catalog/fields.ts',
    ]);
  });

  it('is stored, searched, sorted by, counted and explained over REST and GraphQL', async () => {
    const files = ['airplane-from-above.jpg', 'allium-oreophilum.jpg', 'nagasaki-boats.jpg'];
    const lenses = ['Sonnar', 'Sönnar', 'Tessar'];
    const nsfw = [true, false, null];
    const images = files.map((src_path, n) => ({ id: `p${n}`, src_path, lens: lenses[n], nsfw: nsfw[n] }));
    const operation = await client.write('POST', '/imgs', images);
    expect(operation).toMatchObject({ num_good: 3, errors: [] });
    const { body } = await client.rest(
      'GET',
      '/imgs?q=lens:sonnar&fields=image_id&fields=lens&sort_by=lens&sort_order=asc&facets=lens&count=true',
    );
    expect(body).toEqual({
      results: [
        { image_id: 'p0', lens: 'Sonnar' },
        { image_id: 'p1', lens: 'Sönnar' },
      ],
      count: 2,
      facets: {
        lens: [
          { value: 'Sonnar', count: 1 },
          { value: 'Sönnar', count: 1 },
        ],
      },
    });
    const found = await client.graphql(
      '{ images(q: "no:lens OR lens=Tessar", sortBy: lens) { results { imageId lens } } }',
    );
    expect(found.data.images.results).toEqual([{ imageId: 'p2', lens: 'Tessar' }]);
    const explained = await client.rest('GET', '/imgs/explain?q=lens:tessar&language=es');
    expect(explained.body.sentence).toContain('objetivo');
  });
});

describe('a new endpoint', full, () => {
  it('is its document and its row', () => {
    expect(touched['endpoint']).toEqual([
      'rest/documents/list-operation-warnings.graphql',
      'rest/endpoints/operations.ts',
    ]);
  });

  it('answers, and the documentation says what', async () => {
    const operation = await client.write('PATCH', '/imgs/p0', { lenses: 'Tessar' });
    const answer = await client.rest('GET', `/ops/${operation.operation_id}/warnings`);
    expect(answer).toMatchObject({
      status: 200,
      body: [{ code: 'unknown_field', field: 'lenses', count: 1, position: 0 }],
    });
    expect((await client.rest('GET', '/ops/1/warnings')).status).toBe(404);
    const { body } = await client.rest('GET', '/openapi.json');
    const { responses, parameters } = body.paths['/ops/{op_id}/warnings'].get;
    const name = 'ListOperationWarningsReply';
    expect(responses['200'].content['application/json'].schema).toEqual({ $ref: `#/components/schemas/${name}` });
    expect(body.components.schemas[name]).toMatchObject({ type: 'array' });
    expect(parameters).toMatchObject([{ name: 'op_id', in: 'path' }]);
  });
});

describe('a new analyzer', full, () => {
  it('is its file and its row', () => {
    expect(touched['analyzer']).toEqual(['src/analysis/analyzers.ts', 'src/analysis/analyzers/brightness.ts']);
  });

  it('measures what is stored, in GraphQL, and what the command line is given', async () => {
    const query = '{ image(id: "p1") { aiStatus ai { brightness analyzers { kind errorMessage } } } }';
    const image = async () => (await client.graphql(query)).data.image;
    await expect.poll(async () => (await image()).aiStatus, { timeout: 150_000, interval: 500 }).not.toBe('pending');
    const { operations } = (await client.graphql('{ operations { results { analysisErrors { ref msg } } } }')).data;
    expect(operations.results.flatMap((each: { analysisErrors: unknown[] }) => each.analysisErrors)).toEqual([]);
    const { analyzers, brightness } = (await image()).ai;
    expect(analyzers).toContainEqual({ kind: 'brightness', errorMessage: null });
    expect(brightness).toBeCloseTo(0.695, 2);
    const file = join(packageRoot, 'examples', 'pictures', 'allium-oreophilum.jpg');
    expect(await tree.run('node', 'bin/vitrine.js', 'tag', file)).toContain(`brightness  ${brightness.toFixed(2)}`);
    const { data } = await client.graphql('{ __type(name: "VideoAnalysis") { fields { name description } } }');
    expect(data.__type.fields).toContainEqual({
      name: 'brightness',
      description: 'How bright its frames are, 0 to 1; their mean.',
    });
  }, 240_000);
});

describe('a new operator of formulas', full, () => {
  it('is its row and its meaning', () => {
    expect(touched['operator']).toEqual([
      'src/search/formula/check/check-flag.ts',
      'src/search/formula/parse/flag-operators.ts',
    ]);
  });

  it('finds, counts, completes, is explained and documented', async () => {
    const found = async (q: string) => {
      const { body } = await client.rest('GET', `/imgs?q=${q}&fields=image_id&count=true`);
      return [body.results.map((image: { image_id: string }) => image.image_id), body.count];
    };
    expect(await found('isnt:nsfw')).toEqual([['p1'], 1]);
    expect(await found('-is:nsfw')).toEqual([expect.arrayContaining(['p1', 'p2']), 2]);
    const { status, body } = await client.rest('GET', '/imgs?q=isnt:nfsw');
    expect([status, body.detail[0].type, body.detail[0].ctx.hint]).toEqual([
      422,
      'formula.unknown_flag',
      'Did you mean nsfw?',
    ]);
    const explained = await client.rest('GET', '/imgs/explain?q=isnt:nsfw+boats');
    expect(explained.body.text).toBe('isnt:nsfw AND boats');
    expect(explained.body.sentence).toContain('“no” for not safe for work');
    const completions = async (text: string) => {
      const query = `{ formulaCompletions(text: "${text}", position: ${text.length}) { results { text } } }`;
      return (await client.graphql(query)).data.formulaCompletions.results.map((each: { text: string }) => each.text);
    };
    expect(await completions('isn')).toContain('isnt:');
    expect(await completions('isnt:ns')).toEqual(['nsfw']);
    expect(readFileSync(join(tree.folder, 'docs', 'formula.md'), 'utf8')).toContain('known to be false');
  });
});
