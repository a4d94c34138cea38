import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { lastWords } from '../../src/cli/faults.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { command as inThisProcess } from '../support/command.ts';
import { cloneDatabase } from '../support/database.ts';
import { newDataFolder } from '../support/data-folder.ts';
import { newFolder, run } from '../support/program.ts';
import { firstOf, full } from '../support/effort.ts';

/** Hangs up on whoever connects, as a service that is dying does. */
let dying: Server;
beforeAll(async () => {
  dying = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => dying.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void dying.close());

/** What the program says when it ends with 1, in a process of its own. */
async function said(args: readonly string[], environment: Record<string, string>): Promise<string> {
  const started = run(args, { ADMIN_API_KEY: 'a-key-of-the-operator-0001', DATA_DIR: newFolder(), ...environment });
  return wordsOf(args, (await started.ended) ?? -1, started.output());
}

/** The same of a command in this process. */
async function saidHere(args: readonly string[], environment: Record<string, string>): Promise<string> {
  const variables = { ADMIN_API_KEY: 'a-key-of-the-operator-0001', DATA_DIR: newFolder(), ...environment };
  const { code, output } = await inThisProcess(args, variables);
  return wordsOf(args, code, output);
}

/** What a command printed that has failed, which is no stack. */
function wordsOf(args: readonly string[], code: number, output: string): string {
  expect([args, code]).toEqual([args, 1]);
  expect(output).not.toMatch(/^ {4}at |node:internal|Error:/m);
  return output;
}

/** What needs the database. */
const commands: readonly (readonly string[])[] = firstOf(1, [
  ['tenant', 'list'],
  ['serve'],
  ['migrate'],
  ['import', 'list.json'],
  ['backup', 'archive.tar'],
  ['move', 'postgres://u@127.0.0.1:1/y'],
  ['reindex'],
  ['tenant', 'create', 'a'],
  ['key', 'list'],
  ['audit'],
  ['follow'],
  ['explain', 'cat'],
  ['duplicates'],
  ['verdict', 'a', 'b', 'same'],
]);

describe('a command whose database', () => {
  it('is not there ends in a sentence that says what to check', async () => {
    for (const args of commands) {
      const words = await said(args, { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x', PORT: '0' });
      expect(words).toContain('Check host and port in DATABASE_URL, and that the server runs.');
    }
  }, 240_000);

  it('is to be moved to one that is not there names the address that was given', async () => {
    const { url, drop } = await cloneDatabase(inject('postgresUrl'));
    const words = await saidHere(['move', 'postgres://u@127.0.0.1:1/y'], { DATABASE_URL: url });
    expect(words).toContain('Check host and port in the address that you gave, and that the server runs.');
    await drop();
  });

  it('is lost ends in a sentence without the name of what was called', () => {
    const message =
      "\nInvalid `prisma.operation.findMany()` invocation:\n\n\nCan't reach database server at 127.0.0.1:1";
    expect(lastWords(Object.assign(new Error(message), { code: 'P1001' }))).toBe(
      "Cannot use PostgreSQL: Can't reach database server at 127.0.0.1:1.\n" +
        'Check host and port in DATABASE_URL, and that the server runs.',
    );
  });

  it('refuses the password, the user or the database ends in a sentence that says which', async () => {
    const url = inject('postgresUrl');
    const wrong = [
      [/:\/\/([^:]+):[^@]+@/, '://$1:wrong@', /password|DATABASE_URL/],
      [/:\/\/[^:]+:/, '://nobody:', /nobody/],
      [/\/[^/]+$/, '/no-such-database', /no-such-database/],
    ] as const;
    for (const args of commands) {
      for (const [part, by, words] of args[0] === 'tenant' ? firstOf(1, wrong) : wrong.slice(0, 1)) {
        expect(await said(args, { DATABASE_URL: url.replace(part, by), PORT: '0' })).toMatch(words);
      }
    }
  }, 240_000);

  it('hangs up ends in a sentence', async () => {
    const { port } = dying.address() as AddressInfo;
    const environment = { DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x`, PORT: '0' };
    for (const args of firstOf(1, [['serve'], ['migrate'], ['tenant', 'list'], ['import', 'list.json']])) {
      expect(await said(args, environment)).toMatch(/^Cannot use PostgreSQL: .+/m);
    }
  }, 120_000);
});

describe('a command with a broken file', () => {
  const away = { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' };
  const broken: readonly (readonly [args: readonly string[], words: string])[] = [
    [['tag', 'broken.jpg'], 'the source is not JPEG'],
    [['similar', 'none.jpg'], 'there is no such file or folder'],
    [['import', 'broken.json'], 'is not JSON'],
    [['tag', 'none.jpg'], 'there is no such file or folder'],
    [['calibrate', 'pictures'], 'a.jpg: the source is not JPEG'],
    [['calibrate', 'none'], 'No such folder'],
    [['backup', 'none/x.tar'], 'there is no such file or folder'],
  ];

  it.each(firstOf(2, broken))('ends in a sentence that names it: %j', async ([command = '', file = ''], words) => {
    const folder = newFolder();
    writeFileSync(join(folder, 'broken.jpg'), 'no picture');
    writeFileSync(join(folder, 'broken.json'), '[{"id":');
    mkdirSync(join(folder, 'pictures'));
    for (const name of ['a.jpg', 'b.jpg']) copyFileSync(join(folder, 'broken.jpg'), join(folder, 'pictures', name));
    const here: Record<string, string> = command === 'backup' ? { DATA_DIR: newDataFolder() } : {};
    const environment = command === 'similar' ? away : here;
    expect(await saidHere([command, join(folder, file)], environment)).toContain(words);
  });

  it('says of a picture that is cut off that it is damaged, without the words of a library', full, async () => {
    const folder = newFolder();
    const picture = join(packageRoot, 'examples', 'pictures', 'nagasaki-boats.jpg');
    const { readFileSync } = await import('node:fs');
    writeFileSync(join(folder, 'cut.jpg'), readFileSync(picture).subarray(0, 9_000));
    expect(existsSync(picture)).toBe(true);
    const words = await said(['tag', join(folder, 'cut.jpg')], {});
    expect(words).toContain('the JPEG file is damaged: it is cut off');
    expect(words).not.toMatch(/vips/i);
  });
});

describe('a wrong key', () => {
  it('of Meilisearch is named by doctor and by reindex', async () => {
    const { createServer: createHttp } = await import('node:http');
    const engine = createHttp((_request, response) => {
      response.writeHead(403, { 'Content-Type': 'application/json' });
      response.end('{"message":"The provided API key is invalid.","code":"invalid_api_key","type":"auth","link":""}');
    });
    await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
    const MEILI_URL = `http://127.0.0.1:${(engine.address() as AddressInfo).port}`;
    const environment = { MEILI_URL, MEILI_KEY: 'wrong', DATA_DIR: newDataFolder() };
    const commands = [
      ['doctor', 'refuses the key (403)'],
      ['reindex', 'refuses MEILI_KEY: The provided API key is invalid'],
    ] as const;
    for (const [command, words] of firstOf(1, commands))
      expect(await saidHere([command], environment)).toContain(words);
    engine.close();
  }, 120_000);
});

describe('bad usage', () => {
  it.each(
    firstOf(1, [
      [['explian'], 'Run with --help for usage.'],
      [['audit', '--limit', 'x'], 'Give a whole number, 1 or more.'],
      [['serve'], "1 configuration error:\n  PORT: 'abc' is not a number"],
    ] as const),
  )('%j says what is wrong', async (args, words) => {
    expect(await said(args, { PORT: 'abc' })).toContain(words);
  });
});
