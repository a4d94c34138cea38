import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { comparisonPage } from '../../src/cli/comparison-page.ts';
import { openInferenceServer } from '../analysis/providers/inference-server.ts';
import type { InferenceServer } from '../analysis/providers/inference-server.ts';
import { command } from '../support/command.ts';
import { newFolder, run } from '../support/program.ts';
import { full } from '../support/effort.ts';

let server: InferenceServer;
beforeAll(async () => {
  server = await openInferenceServer();
});
afterAll(() => server.close());

describe('two providers', () => {
  it('are compared on a folder, on one page with its pictures', full, async () => {
    const folder = newFolder();
    mkdirSync(join(folder, '<b>in'));
    const small = sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } }).jpeg();
    await small.toFile(join(folder, '<b>in', 'boats.jpg'));
    writeFileSync(join(folder, 'broken.jpg'), 'not a picture');
    const page = join(folder, 'page.html');
    const args = ['tag', '--provider', 'builtin', '--provider=huggingface', '--page', page, '--lang', 'es', folder];
    const started = run(args, { HF_ENDPOINT: server.endpoint, HF_TOKEN: 'hf_secret' });
    expect([await started.ended, started.output()]).toEqual([0, expect.stringContaining('shows 2 pictures')]);
    const text = readFileSync(page, 'utf8');
    expect(text).toContain('<mark>Un perro corre.</mark><br><small>huggingface:Qwen/Qwen2.5-VL-7B-Instruct, ');
    expect(text).toContain('<mark>perro</mark>');
    expect(text).toMatch(/<br><small>builtin, \d+ ms<\/small>/);
    expect(text.match(/src="data:image\/jpeg;base64,\/9j\//g)).toHaveLength(1);
    expect(text).toContain('&lt;b&gt;in/boats.jpg');
    expect(text).toContain('unsupported_media');
    expect(text).not.toMatch(/hf_secret|<b>|https?:/);
  });

  it('are compared on a single picture, which the page names', full, async () => {
    const [picture, page] = [join(newFolder(), 'boats.jpg'), join(newFolder(), 'page.html')];
    await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } }).toFile(picture);
    const args = ['tag', '--provider', 'builtin,huggingface', '--page', page, picture];
    const { code } = await command(args, { HF_ENDPOINT: server.endpoint, HF_TOKEN: 'hf_secret' });
    expect([code, readFileSync(page, 'utf8')]).toEqual([0, expect.stringContaining('boats.jpg')]);
  });

  it('of which one fails on every picture are an error, which says why; the page is written', full, async () => {
    const folder = newFolder();
    const small = sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } }).jpeg();
    await small.toFile(join(folder, 'boats.jpg'));
    const page = join(folder, 'page.html');
    const environment = { MODELS_DIR: join(folder, 'none') };
    const { code, output } = await command(['tag', '--provider', 'builtin,local', '--page', page, folder], environment);
    expect(output).toContain(
      `${page} shows 1 pictures\nFailed in each of them:\n  local: provider 'local' needs a package`,
    );
    expect([code, readFileSync(page, 'utf8')]).toEqual([1, expect.stringContaining('builtin and local')]);
  });

  it('have a page only if there are two of them', async () => {
    const { code, output } = await command(['tag', '.', '--page', 'page.html'], {});
    expect([code, output]).toEqual([1, expect.stringContaining('--page needs two providers')]);
  });

  it('are named from a list, and compared on one folder', full, async () => {
    const wrong = run(['tag', '--provider', 'builtin,other', '.'], {});
    expect([await wrong.ended, wrong.output()]).toEqual([1, expect.stringContaining('one or two of builtin,')]);
    const two = run(['tag', '--provider', 'builtin,huggingface', 'a', 'b'], {});
    expect([await two.ended, two.output()]).toEqual([1, expect.stringContaining('compared on one folder')]);
  });
});

describe('a page of comparison', () => {
  it('marks what one provider alone says, and runs nothing that a model wrote', () => {
    const image = { format: 'jpeg', width: 1, height: 1 } as never;
    const said = (text: string) => ({
      analysis: {
        image,
        warnings: [],
        outcomes: { caption: { analyzer: text, version: '1', milliseconds: 3, result: { en: text } } },
      },
    });
    const compare = (a: string, b: string) =>
      comparisonPage(['a', 'b'], [{ name: 'x"y', jpeg: null, columns: [said(a), said(b)] }], 'en');
    expect(compare('A dog', 'a dog')).not.toMatch(/<td><mark>/);
    const hostile = compare(`<script>alert('1')</script>`, 'A dog');
    expect(hostile).not.toContain('<script');
    expect(hostile).toContain('<mark>&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;</mark>');
    expect(hostile).toContain('x&quot;y');
  });
});
