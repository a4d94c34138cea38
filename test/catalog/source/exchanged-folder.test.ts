import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPath, readPath } from '../../../src/catalog/source/read-path.ts';
import { ElementError } from '../../../src/lib/errors.ts';
import { full } from '../../support/effort.ts';

let base: string;
let root: string;

/** Below the base: root with folder and link (to outside), outside; an a.jpg in folder and outside. */
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'vitrine-exchange-')));
  root = join(base, 'root');
  mkdirSync(join(root, 'folder'), { recursive: true });
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(root, 'folder', 'a.jpg'), 'inside');
  writeFileSync(join(base, 'outside', 'a.jpg'), 'secret');
  symlinkSync(join(base, 'outside'), join(root, 'link'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Another process that puts the link in the place of the folder and back, as fast as it can. */
const exchanging = `
  const { renameSync } = require('node:fs');
  process.chdir(process.argv[1]);
  for (;;) {
    renameSync('folder', 'away'); renameSync('link', 'folder');
    renameSync('folder', 'link'); renameSync('away', 'folder');
  }`;

it('a folder exchanged for a link out of the root, again and again, gives no file from outside', full, async () => {
  const exchange = spawn(process.execPath, ['-e', exchanging, root], { stdio: 'ignore' });
  const ended = new Promise((resolve) => exchange.once('exit', resolve));
  const seen = new Set<string>();
  const readWhole = async () => String(await readPath('folder/a.jpg', [root]));
  const readPart = async () => {
    const source = await openPath('folder/a.jpg', [root]);
    return String(Buffer.from(await source.read(0, source.size))).concat((await source.close()) ?? '');
  };
  try {
    const wanted = () => seen.has('inside') && seen.has('source_forbidden');
    for (let round = 0; round < 4000 || (round < 40_000 && !wanted()); round += 8) {
      const reads = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? readWhole() : readPart()));
      for (const outcome of await Promise.allSettled(reads)) {
        if (outcome.status === 'fulfilled') seen.add(outcome.value);
        else seen.add(outcome.reason instanceof ElementError ? outcome.reason.code : String(outcome.reason));
      }
    }
  } finally {
    exchange.kill('SIGKILL');
    await ended;
  }
  expect(seen).toContain('inside');
  expect([...seen].filter((each) => !['inside', 'source_forbidden', 'source_unreachable'].includes(each))).toEqual([]);
});

const platform = process.platform;
afterEach(() => Object.defineProperty(process, 'platform', { value: platform }));

// Other systems do not say where an open file lies.
it.each([platform, 'other'])('a folder that became a link out of the root is refused at once (%s)', async (name) => {
  Object.defineProperty(process, 'platform', { value: name });
  expect(String(await readPath('folder/a.jpg', [root]))).toBe('inside');
  renameSync(join(root, 'folder'), join(root, 'away'));
  renameSync(join(root, 'link'), join(root, 'folder'));
  await expect(readPath('folder/a.jpg', [root])).rejects.toMatchObject({ code: 'source_forbidden' });
});
