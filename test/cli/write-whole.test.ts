import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { writeWhole } from '../../src/cli/write-whole.ts';
import { newFolder } from '../support/program.ts';

it('of two commands that write one file, the later one writes it whole, and the earlier one says so', async () => {
  const path = join(newFolder(), 'archive.tar');
  const [earlier, later] = [new PassThrough(), new PassThrough()];
  const first = writeWhole(path, [earlier]);
  earlier.write('first, ');
  await expect.poll(() => existsSync(`${path}.part`)).toBe(true);
  const second = writeWhole(path, [later]);
  later.write('second, ');
  await expect.poll(() => readFileSync(`${path}.part`, 'utf8')).toBe('second, ');
  earlier.end('whole');
  await expect(first).rejects.toThrow(`Another command writes ${path}, too.`);
  expect(existsSync(path)).toBe(false);
  later.end('whole');
  await second;
  expect([readFileSync(path, 'utf8'), existsSync(`${path}.part`)]).toEqual(['second, whole', false]);
});
