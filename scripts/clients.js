// Generates clients from /openapi.json with common generators, compiles them, and runs each against a service started
// for it; before that, linters check the document. Prints a table; the exit code is 1 if anything failed.
//   npm run clients                    all of them
//   npm run clients -- go java         those whose names contain a word
// Generators are downloaded from their languages' registries into a temporary folder. Clients whose language is not
// installed are skipped.
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { isDeepStrictEqual } from 'node:util';
import { clients } from './clients/clients.js';
import { missingTool, run } from './clients/run.js';
import { startService } from './clients/service.js';

const picture = resolve('examples/pictures/airplane-from-above.jpg');

/** What each program prints when it has finished. */
const expected = (id) => ({
  created: 1,
  title: id,
  keywords: ['one', 'two'],
  listed: id,
  count: 1,
  facet: ['Iceland', 1],
  missing: 'Image not found',
  fault: 'formula.unknown_field',
  changed: 1,
  finished: true,
  deleted: 1,
});

/** Takes a client through its stages. Each result is `yes`; the first stage that fails says why. */
async function tryClient(client, folder, service) {
  const tool = client.needs.find((name) => missingTool(name));
  if (tool !== undefined) return { reason: `skipped: no ${tool}` };
  const done = {};
  const log = createWriteStream(join(folder, `${client.name}.log`));
  const id = client.name.replaceAll(/\W+/g, '-');
  const own = join(folder, id);
  mkdirSync(own, { recursive: true });
  const environment = {
    VITRINE_URL: service.url,
    VITRINE_KEY: service.key,
    IMAGE_ID: id,
    IMAGE_PATH: 'airplane-from-above.jpg',
    PICTURE: picture,
  };
  try {
    for (const stage of ['generated', 'compiled', 'ran']) {
      const commands = client[stage]?.({
        folder: own,
        tools: join(folder, 'tools'),
        document: join(folder, 'openapi.json'),
      });
      let output = '';
      for (const command of commands ?? []) output = await run(command, { folder: own, environment, log });
      if (stage === 'ran' && !client.isLinter) check(output, id);
      if (commands !== undefined) done[stage] = 'yes';
    }
    return done;
  } catch (error) {
    return { ...done, reason: `failed: ${error.message}` };
  } finally {
    log.end();
  }
}

/** @throws Error if a program printed anything other than expected. */
function check(output, id) {
  const { color, ...printed } = JSON.parse(output.trim().split('\n').at(-1));
  if (!/^#[0-9a-f]{6}$/.test(color)) throw new Error(`it read the color ${color}`);
  if (!isDeepStrictEqual(printed, expected(id))) throw new Error(`it printed ${JSON.stringify(printed)}`);
}

function printTable(rows) {
  const lines = rows.map(({ name, generated = '', compiled = '', ran = '', reason = '' }) => [
    ...[name, generated, compiled, ran],
    reason.split('\n')[0],
  ]);
  const table = [['client', 'generated', 'compiled', 'ran', ''], ...lines];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column].length)));
  for (const row of table) {
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
}

const folder = mkdtempSync(join(tmpdir(), 'vitrine-clients-'));
const words = process.argv.slice(2);
const chosen = clients.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const service = await startService(join(folder, 'data'));
try {
  const document = await (await fetch(`${service.url}/openapi.json`)).text();
  writeFileSync(join(folder, 'openapi.json'), document);
  const rows = [];
  for (const client of chosen) {
    const row = { name: client.name, ...(await tryClient(client, folder, service)) };
    process.stdout.write(`${client.name}: ${row.reason ?? 'good'}\n`);
    rows.push(row);
  }
  process.stdout.write('\n');
  printTable(rows);
  process.exitCode = rows.some(({ reason }) => reason?.startsWith('failed')) ? 1 : 0;
} finally {
  await service.close();
  if (process.exitCode === 1) process.stdout.write(`\nWhat the tools said is in ${folder}\n`);
  else rmSync(folder, { recursive: true, force: true });
}
