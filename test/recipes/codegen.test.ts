import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { codegen } from '@graphql-codegen/core';
import { preset } from '@graphql-codegen/client-preset';
import { parse } from 'graphql';
import { afterAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { withWorld } from '../support/shared-world.ts';
import type { SharedWorld } from '../support/world.ts';

const page = readFileSync(join(packageRoot, 'clients', 'typescript', 'README.md'), 'utf8');
const section = page.slice(page.indexOf('## Types of your own documents'));

/** The block of code of the recipe that begins with the comment `// NAME`. */
function fileOf(name: string): string {
  const [, code = ''] = new RegExp(`\`\`\`ts\\n(// ${name}\\n[\\s\\S]*?)\`\`\``).exec(section) ?? [];
  expect(code, name).not.toBe('');
  return code;
}

let folder: string;
let world: SharedWorld;

const schema = parse(readFileSync(join(packageRoot, 'schema.graphql'), 'utf8'));
const compilerOptions = {
  strict: true,
  noEmit: false,
  outDir: 'dist',
  rootDir: '.',
  target: 'es2023',
  module: 'nodenext',
  lib: ['es2023', 'dom'],
  types: [],
  skipLibCheck: true,
};

/** What the command line of graphql-codegen does with the configuration and the documents of a source. */
async function generate(source: string): Promise<void> {
  const configuration = (await import(pathToFileURL(join(folder, 'codegen.js')).href)) as {
    default: { generates: Record<string, { preset: 'client'; presetConfig: object; config: object }> };
  };
  const [[baseOutputDir, { presetConfig, config }] = ['', { presetConfig: {}, config: {} }]] = Object.entries(
    configuration.default.generates,
  );
  const documents = [...source.matchAll(/graphql\(`([\s\S]*?)`\)/g)].map(([, text = '']) => ({
    location: 'catalog.ts',
    rawSDL: text,
    document: parse(text),
  }));
  const options = { schema, documents, presetConfig, config, plugins: [], pluginMap: {}, baseOutputDir };
  for (const section of await preset.buildGeneratesSection(options as never)) {
    const path = join(folder, section.filename);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, await codegen({ ...section, documents: section.documents ?? documents } as never));
  }
}

function compile(): string {
  try {
    execFileSync('node', [join(packageRoot, 'node_modules/typescript/bin/tsc'), '-p', folder], { encoding: 'utf8' });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

withWorld.beforeAll(async ({ enterWorld }) => {
  folder = mkdtempSync(join(tmpdir(), 'codegen-'));
  symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['catalog.ts'] }));
  writeFileSync(join(folder, 'codegen.js'), fileOf('codegen.ts').replace(/^import type .*$|: CodegenConfig/gm, ''));
  writeFileSync(join(folder, 'catalog.ts'), fileOf('catalog.ts'));
  await generate(fileOf('catalog.ts'));
  world = await enterWorld();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the recipe for types of a frontend', () => {
  it('compiles, and its function finds what the service has', async () => {
    expect(compile()).toBe('');
    const client = await world.client();
    await world.picture('a.png');
    await client.write('POST', '/imgs', [
      { id: 'a', src_path: 'a.png', title: 'Harbor' },
      { id: 'b', src_path: 'a.png', title: 'Castle' },
    ]);
    const { titlesOf } = (await import(pathToFileURL(join(folder, 'dist', 'catalog.js')).href)) as {
      titlesOf(url: string, key: string, q: string): Promise<readonly string[]>;
    };
    expect((await titlesOf(world.url, client.key, 'harbor')).map((title) => title.split(',')[0])).toEqual(['Harbor']);
  }, 120_000);

  it('hides the fields of a fragment from those that do not unmask it', () => {
    const source = fileOf('catalog.ts').replace('titleOf(edge.node)', 'String(edge.node.title)');
    writeFileSync(join(folder, 'catalog.ts'), source);
    expect(compile()).toContain("Property 'title' does not exist on type");
  }, 120_000);

  it('does not compile when a field is asked for that is not there', () => {
    writeFileSync(join(folder, 'catalog.ts'), fileOf('catalog.ts').replace('image.width', 'image.depth'));
    expect(compile()).toContain("Property 'depth' does not exist on type");
  }, 120_000);
});
