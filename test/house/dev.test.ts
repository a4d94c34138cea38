import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { full } from '../support/effort.ts';

const names = ['bin', 'clients', 'console', 'dist', 'examples', 'prisma', 'rest', 'scripts', 'src'];
const files = ['package.json', 'schema.graphql', 'prisma.config.ts', 'tsconfig.json', 'tsconfig.build.json'];
const picture = join(packageRoot, 'examples', 'pictures', 'nagasaki-boats.jpg');
const key = 'a-key-of-the-operator-0001';

/** `npm run dev` on sources of its own; returns how to edit them, and what it has printed. */
function startDev() {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-dev-'));
  chmodSync(folder, 0o755);
  for (const name of [...names, ...files]) cpSync(join(packageRoot, name), join(folder, name), { recursive: true });
  symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
  const child = spawn(process.execPath, ['scripts/dev.js'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', PORT: '0', ADMIN_API_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('close', resolve));
    if (child.exitCode === null) {
      child.kill('SIGINT');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });
  return {
    folder,
    output: () => text,
    /** Address of the service that runs now; it has another one after each restart. */
    url: () => [...text.matchAll(/REST +(http:\S+)\/imgs/g)].at(-1)?.[1],
    edit(path: string, from: string, to: string) {
      const source = readFileSync(join(folder, path), 'utf8');
      expect(source).toContain(from);
      writeFileSync(join(folder, path), source.replace(from, to));
    },
  };
}

describe('npm run dev', () => {
  it(
    'answers with what is saved, in the service and in the process that analyzes, and goes on after a mistake',
    full,
    async () => {
      const dev = startDev();
      const page = async () => (await fetch(`${dev.url()}/`).catch(() => null))?.text();
      const caption = async () => {
        const body = new FormData();
        body.append('image', new Blob([new Uint8Array(readFileSync(picture))]), 'a.jpg');
        body.append('caption', 'true');
        const headers = { 'API-Key': key };
        const answer = await fetch(`${dev.url()}/tag/image`, { method: 'POST', headers, body }).catch(() => null);
        return answer?.text();
      };
      const soon = { timeout: 60_000, interval: 200 };
      await expect.poll(page, { ...soon, timeout: 200_000 }).toContain('<title>Vitrine</title>');
      dev.edit('src/app/home-page.ts', '<title>Vitrine</title>', '<title>Changed</title>');
      await expect.poll(page, soon).toContain('<title>Changed</title>');

      dev.edit('src/app/home-page.ts', '<title>Changed', '${ <title>Changed');
      await expect.poll(dev.output, soon).toContain('src/app/home-page.ts:');
      expect(await page()).toContain('<title>Changed</title>');

      dev.edit('src/app/home-page.ts', '${ <title>Changed', '<title>Changed');
      dev.edit('src/analysis/captions/caption.ts', "'A picture of #'", "'A drawing of #'");
      await expect.poll(caption, soon).toContain('A drawing of a person.');

      rmSync(join(dev.folder, 'src', 'cli', 'audit.ts'));
      await expect.poll(dev.output, soon).toContain('src/cli/audit.ts changed.');
      expect(existsSync(join(dev.folder, 'dist', 'src', 'cli', 'audit.js'))).toBe(false);
    },
  );
});
