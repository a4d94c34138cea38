import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../../../src/lib/package-root.ts';

/** The recorded application itself, which stands beside the project: whatever it is asked, it answers as it did then. */
const folder = join(packageRoot, '../shared/spec/conformance');
const python = process.env['ORACLE_PYTHON'] ?? 'python3';

/** The key that it knows. */
export const oracleKey = 'golden-key';

/** Why it cannot be asked here, or null: another version of its framework would answer differently. */
export function reasonWithoutOracle(): string | null {
  const requirements = join(folder, 'requirements.txt');
  if (!existsSync(requirements)) return 'the recorded application is not here';
  const wanted = readFileSync(requirements, 'utf8').trim().split('\n');
  const script = [
    'import sys, importlib.metadata as m',
    'print([each for each in sys.argv[1:] if m.version(each.split("==")[0]) != each.split("==")[1]])',
  ].join('\n');
  const { status, stdout } = spawnSync(python, ['-c', script, ...wanted], { encoding: 'utf8' });
  if (status !== 0) return `${python} has no FastAPI; ORACLE_PYTHON names one that has`;
  return stdout.trim() === '[]' ? null : `${python} has other versions than ${stdout.trim()}`;
}

export type Oracle = Readonly<{ url: string; close(): Promise<void> }>;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function openOracle(): Promise<Oracle> {
  const port = await freePort();
  const options = ['--port', String(port), '--http', 'h11', '--log-level', 'critical', '--no-access-log'];
  const child = spawn(python, ['-B', '-m', 'uvicorn', 'app:app', ...options], { cwd: folder, stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 300; tries += 1) {
    if (child.exitCode !== null) throw new Error('the recorded application ended');
    const answer = await fetch(`${url}/me`, { headers: { 'API-Key': oracleKey } }).catch(() => null);
    if (answer?.ok) return { url, close: () => (child.kill('SIGKILL'), ended) };
    await sleep(100);
  }
  child.kill('SIGKILL');
  throw new Error('the recorded application does not answer');
}
