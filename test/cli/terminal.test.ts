import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { command } from '../support/command.ts';
import { cloneDatabase } from '../support/database.ts';
import { full } from '../support/effort.ts';
import { openHubServer } from '../support/hub-server.ts';
import { newFolder } from '../support/program.ts';
import { hasTerminals, runInTerminal } from '../support/terminal.ts';

const pictures = join(packageRoot, 'examples', 'pictures');

describe.skipIf(!hasTerminals)('in a terminal', () => {
  it('vitrine tag shows colors, and the control characters of a file name as text', full, async () => {
    const picture = join(newFolder(), 'red \u001B[31m.jpg');
    copyFileSync(join(pictures, 'nagasaki-boats.jpg'), picture);
    const { code, screen } = await runInTerminal(['tag', picture], { DATA_DIR: newFolder() });
    expect(code).toBe(0);
    expect(screen).toContain('red \\x1b[31m.jpg');
    expect(screen).toContain('  colors      \u001B[48;2;');
    expect(screen).not.toContain('\\x1b[48');
  });

  it('vitrine history shows colors, and control characters of a record as text', full, async () => {
    const { url, drop } = await cloneDatabase(inject('postgresUrl'));
    onTestFinished(drop);
    const environment = { DATABASE_URL: url, DATA_DIR: newFolder(), MEDIA_ROOTS: pictures, AI_ANALYSIS: 'off' };
    await command(['import', pictures], environment);
    const { screen } = await runInTerminal(['history', 'nagasaki-boats.jpg'], environment);
    expect(screen).toContain('\u001B[32m  + image_id: nagasaki-boats.jpg\u001B[0m\n');
    expect(screen).not.toContain('\\x1b');
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s declines the license of a model', async (_, keys) => {
    const file = { content: Buffer.from('x'), isLarge: true };
    const names = ['onnx/vision_model_quantized.onnx', 'onnx/text_model_quantized.onnx', 'tokenizer.json'];
    const repository = Object.fromEntries(names.map((name) => [name, file]));
    const hub = await openHubServer({ 'Xenova/clip-vit-base-patch32': repository }, { certificate: null });
    onTestFinished(hub.close);
    const environment = { MODELS_DIR: newFolder(), MODELS_HUB: hub.url };
    const ended = await runInTerminal(['models', 'add', 'clip-base'], environment, { prompt: '[y/N]', keys });
    expect(ended.screen).toContain('\n\r\u001B[KNothing was fetched: the license MIT of clip-base (');
    expect(ended.code).toBe(1);
  });
});
