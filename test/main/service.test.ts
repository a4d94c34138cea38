import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { newDataFolder } from '../support/data-folder.ts';
import { folders, lockOf, newFolder, run, serverPid, start, stop } from '../support/program.ts';
import { createClient } from '../support/world.ts';
import { full } from '../support/effort.ts';

describe('the service', () => {
  it('starts on an empty folder with a space in its name, shows the first key once, and shares its data with no other', async () => {
    const DATA_DIR = join(newFolder(), 'not made yet');
    const first = await start({ DATA_DIR });
    const key = /API key +(vt_\S+)/.exec(first.output())?.[1] ?? '';
    const answer = await createClient(first.url, key).rest('GET', '/me');
    expect([answer.status, answer.body.role_name, answer.body.tenant]).toEqual([200, 'admin', 'default']);
    const pageOfConsole = /console +(\S+)/.exec(first.output())?.[1] ?? '';
    expect((await fetch(pageOfConsole)).headers.get('content-type')).toContain('text/html');
    const path = join(DATA_DIR, 'admin-key');
    expect(readFileSync(path, 'utf8').trim()).toBe(key);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await stop(first)).toBe(0);

    const second = await start({ DATA_DIR });
    expect(second.output()).not.toContain('vt_');
    expect((await createClient(second.url, key).rest('GET', '/me')).status).toBe(200);

    const third = run(['serve'], { PORT: '0', DATA_DIR });
    expect(await third.ended).toBe(1);
    expect(third.output()).toContain(`Another Vitrine (process ${serverPid(DATA_DIR)}) already uses`);
    expect((await fetch(`${second.url}/ready`)).status).toBe(200);
    expect(await stop(second)).toBe(0);
    expect(existsSync(lockOf(DATA_DIR))).toBe(false);
  });

  it('goes on after kill -9 with what it had, and stops the database that was left behind', full, async () => {
    const DATA_DIR = newDataFolder();
    const key = 'a-key-of-the-operator-0001';
    const first = await start({ DATA_DIR, ADMIN_API_KEY: key });
    const accepted = await createClient(first.url, key).rest('POST', '/imgs/x', { src: 'http://127.0.0.1:9/x.jpg' });
    expect(accepted.status).toBe(202);
    // As a power cut would, but for the database: its process lives on.
    for (const pid of [first.child.pid ?? 0, serverPid(DATA_DIR)]) process.kill(pid, 'SIGKILL');
    await first.ended;

    const second = await start({ DATA_DIR, ADMIN_API_KEY: key });
    const client = createClient(second.url, key);
    const path = `/ops/${accepted.body.operation_id}`;
    await expect.poll(async () => (await client.rest('GET', path)).body.is_finished, { timeout: 20_000 }).toBe(true);
    expect((await client.rest('GET', path)).body).toMatchObject({ num_total: 1, num_good: 0, num_bad: 1 });
    expect(await stop(second)).toBe(0);
    expect(existsSync(lockOf(DATA_DIR))).toBe(false);
  });

  it('says that its port is taken, and by what to mend it, and ends with 1', full, async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const PORT = String((other.address() as AddressInfo).port);
    const DATA_DIR = newFolder();
    const refused = run(['serve'], { PORT, DATA_DIR });
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain(`Port ${PORT} on 127.0.0.1 is in use`);
    expect(existsSync(join(DATA_DIR, 'postgres'))).toBe(false);
    other.close();
  });

  it('runs on a folder that only its owner may enter', full, async () => {
    const DATA_DIR = newFolder({ mode: 0o700 });
    const first = await start({ DATA_DIR });
    const lock = lockOf(DATA_DIR);
    expect(existsSync(lock)).toBe(true);
    await stop(first);
    expect(existsSync(lock)).toBe(false);
    if (!lock.startsWith(DATA_DIR)) folders.push(dirname(dirname(lock)));
  });

  it('finds its way back to data whose password file is gone', full, async () => {
    const DATA_DIR = newFolder();
    await stop(await start({ DATA_DIR }));
    rmSync(join(DATA_DIR, 'postgres.json'));
    const again = await start({ DATA_DIR });
    expect(again.output()).not.toContain('API key');
    const client = createClient(again.url, readFileSync(join(DATA_DIR, 'admin-key'), 'utf8').trim());
    expect((await client.rest('GET', '/me')).status).toBe(200);
    await stop(again);
  });

  it('warns of a folder of MEDIA_ROOTS that is not there and of a misspelled setting, and starts', full, async () => {
    const MEDIA_ROOTS = join(newFolder(), 'none');
    const server = await start({ DATA_DIR: newDataFolder(), MEDIA_ROOTS, SIMILARTY: 'memory' });
    expect(server.output()).toContain('WARNING   SIMILARTY is not a setting of Vitrine. Did you mean SIMILARITY?');
    expect(server.output()).toContain(`WARNING   ${MEDIA_ROOTS} of MEDIA_ROOTS cannot be read: create the folder`);
    await stop(server);
  });

  it('is built at a start only where its sources are newer than what is built', full, () => {
    const folder = newFolder();
    const build = () => {
      const script = join(packageRoot, 'scripts', 'build-if-needed.js');
      return spawnSync(process.execPath, [script], { cwd: folder, encoding: 'utf8' }).status;
    };
    const builds = () => (existsSync(join(folder, 'builds')) ? readFileSync(join(folder, 'builds'), 'utf8').length : 0);
    const touch = (path: string, seconds: number) => utimesSync(join(folder, path), seconds, seconds);
    for (const path of ['dist', 'src', 'prisma/generated']) mkdirSync(join(folder, path), { recursive: true });
    const commands = { build: `node -e "fs.appendFileSync('builds','x');fs.writeFileSync('dist/.built','')"` };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: commands }));
    writeFileSync(join(folder, 'src', 'a.ts'), '');
    expect([build(), builds()]).toEqual([0, 1]);
    const now = Date.now() / 1000;
    for (const path of ['package.json', 'src/a.ts', 'src', 'prisma']) touch(path, now - 100);
    expect([build(), builds()]).toEqual([0, 1]);
    touch('prisma/generated', now + 100);
    expect([build(), builds()]).toEqual([0, 1]);
    touch('src/a.ts', now + 100);
    expect([build(), builds()]).toEqual([0, 2]);
  });

  it('prints every fault of its configuration at once', async () => {
    const refused = run(['serve'], { PORT: 'many', ROLE: 'both', DATABASE_URL: 'mysql://x', DATA_DIR: newFolder() });
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain('3 configuration errors:');
    for (const name of ['PORT', 'ROLE', 'DATABASE_URL']) expect(refused.output()).toContain(`  ${name}: `);
  });

  it('recovers when the lock of its database names a process that is something else by now', full, async () => {
    const DATA_DIR = newDataFolder();
    const first = await start({ DATA_DIR });
    await stop(first);
    writeFileSync(lockOf(DATA_DIR), `${process.pid}\n/nowhere\n0\n5432\n`);
    await stop(await start({ DATA_DIR }));
    expect(existsSync(lockOf(DATA_DIR))).toBe(false);
  });
});

describe('the command line', () => {
  it('works without a server and beside one, on the same data', full, async () => {
    const DATA_DIR = newDataFolder();
    const alone = run(['tenant', 'create', 'agency', '--json'], { DATA_DIR });
    expect(await alone.ended).toBe(0);
    expect(existsSync(lockOf(DATA_DIR))).toBe(false);

    const server = await start({ DATA_DIR });
    const made = run(['key', 'create', '--tenant', 'agency', '--role', 'viewer', '--name', 'desk', '--json'], {
      DATA_DIR,
    });
    expect(await made.ended).toBe(0);
    const { key } = JSON.parse(made.results()) as { key: string };
    const client = createClient(server.url, key);
    expect((await client.rest('GET', '/me')).body).toMatchObject({ tenant: 'agency', role_name: 'viewer' });

    expect(await run(['key', 'revoke', key.slice(0, 11)], { DATA_DIR }).ended).toBe(0);
    await expect.poll(async () => (await client.rest('GET', '/me')).status, { timeout: 1000, interval: 50 }).toBe(401);
    await stop(server);
  });

  it('says what is wrong in one line, with exit code 1', full, async () => {
    const refused = run(['key', 'create', '--tenant', 'nobody', '--role', 'viewer', '--name', 'x'], {
      DATA_DIR: newDataFolder(),
    });
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain("No tenant 'nobody'. See: vitrine tenant list");
  });
});
