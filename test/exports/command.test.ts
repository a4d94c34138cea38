import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { command } from '../support/command.ts';
import { cloneDatabase } from '../support/database.ts';
import { full } from '../support/effort.ts';
import { newFolder, run } from '../support/program.ts';

const examples = join(packageRoot, 'examples');

describe('vitrine export', () => {
  /** Commands on a database of their own, which has the examples. */
  async function commands() {
    const { url, drop } = await cloneDatabase(inject('postgresUrl'));
    onTestFinished(drop);
    const environment = { DATABASE_URL: url, DATA_DIR: newFolder(), MEDIA_ROOTS: join(examples, 'pictures') };
    const folder = newFolder({ name: 'export-' });
    const succeed = async (...args: string[]) => {
      const { code, output } = await command(args, environment);
      expect([code, output]).toEqual([0, expect.any(String)]);
      return output;
    };
    await succeed('import', join(examples, 'catalog.json'));
    return { environment, folder, succeed };
  }

  it(
    'writes what a formula finds, with its files if that is wanted, and nothing where nothing is found',
    full,
    async () => {
      const { environment, folder, succeed } = await commands();
      const zip = join(folder, 'some.zip');
      await succeed('export', 'id:airplane', '--format', 'zip', '--output', zip);
      expect(readFileSync(zip).toString('latin1')).toContain('files/airplane.jpg');
      const none = run(['export', 'id:nobody', '--output', join(folder, 'none.csv')], environment);
      expect([await none.ended, none.output()]).toEqual([1, expect.stringContaining('The formula finds no image')]);
      expect(readdirSync(folder)).toEqual(['some.zip']);
    },
  );

  it('writes what can be imported again', full, async () => {
    const { folder, succeed } = await commands();
    const csv = join(folder, 'all.csv');
    expect(await succeed('export', '--output', csv)).toContain('Exported 6 records into');
    expect(readFileSync(csv, 'utf8').split('\r\n')).toHaveLength(8);
    await succeed('tenant', 'create', 'copy');
    expect(await succeed('import', csv, '--tenant', 'copy', '--lang', 'en')).toContain('6');
    const again = join(folder, 'again.csv');
    await succeed('export', '--output', again, '--tenant', 'copy', '--sort', 'image_id');
    const lines = (path: string) => readFileSync(path, 'utf8').split('\r\n').toSorted();
    expect(lines(again)).toEqual(lines(csv));
    expect(readdirSync(folder).toSorted()).toEqual(['again.csv', 'all.csv']);
  });
});
