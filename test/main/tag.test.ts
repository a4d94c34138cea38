import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { command } from '../support/command.ts';
import { run } from '../support/program.ts';
import { full } from '../support/effort.ts';

const picture = (name: string) => join(packageRoot, 'examples/pictures', name);

describe('vitrine tag', () => {
  it('says what a picture shows, in the wanted language, without server and database', full, async () => {
    const { ended, output } = run(['tag', picture('nagasaki-boats.jpg'), '--lang', 'es', '--city', 'Nagasaki'], {});
    expect(await ended).toBe(0);
    expect(output()).toContain('nagasaki-boats.jpg\n');
    expect(output()).toMatch(/ {2}Una imagen .*, Nagasaki\.\n/);
    expect(output()).toMatch(/ {2}colors {6}\w+ #[0-9a-f]{6} \d+ %/);
    expect(output()).toMatch(/ {2}PDQ {9}[0-9a-f]{64}, quality \d+/);
  });

  it('says that a provider needs a token, before it asks it for each picture', async () => {
    const { code, output } = await command(['tag', picture('nagasaki-boats.jpg'), '--provider', 'huggingface'], {});
    expect([code, output]).toEqual([1, expect.stringMatching(/^--provider huggingface needs a token: set HF_TOKEN/)]);
  });

  it('tags every picture of a folder, and says which folder has none', full, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-tag-'));
    mkdirSync(join(folder, 'inside'));
    mkdirSync(join(folder, 'empty'));
    const small = sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } }).jpeg();
    for (const place of ['b.jpg', 'inside/a.jpg']) await small.toFile(join(folder, place));
    const { ended, results } = run(['tag', folder, '--json'], {});
    expect(await ended).toBe(0);
    expect((JSON.parse(results()) as { file: string }[]).map(({ file }) => file)).toEqual([
      join(folder, 'b.jpg'),
      join(folder, 'inside/a.jpg'),
    ]);
    const none = run(['tag', join(folder, 'empty')], {});
    expect(await none.ended).toBe(1);
    expect(none.output()).toContain(`${join(folder, 'empty')} contains no picture`);
  });

  it('analyzes no more pictures once nobody reads what it prints', full, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-tag-'));
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) copyFileSync(picture('nagasaki-boats.jpg'), join(folder, name));
    writeFileSync(join(folder, 'd.jpg'), 'not a picture, which would end it with 1');
    const { child, ended, results } = run(['tag', folder], {});
    await expect.poll(results, { timeout: 60_000 }).toContain('a.jpg');
    child.stdout?.destroy();
    expect(await ended).toBe(0);
  });

  it('prints JSON for programs, and says of each file that cannot be read why', full, async () => {
    const { ended, results } = run(['tag', picture('allium-oreophilum.jpg'), 'no-such.jpg', '--json'], {});
    expect(await ended).toBe(1);
    const [seen, missing] = JSON.parse(results()) as [
      { image: object; outcomes: Record<string, { result: unknown }> },
      object,
    ];
    expect(seen.image).toMatchObject({ format: 'jpeg' });
    expect(seen.outcomes['embedding']?.result).toHaveLength(128);
    expect(seen.outcomes['pdq']?.result).toEqual({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), quality: 100 });
    expect(missing).toEqual({ file: 'no-such.jpg', error: 'there is no such file or folder' });
  });
});
