import { readFile } from 'node:fs/promises';
import process from 'node:process';
import type { Command } from 'commander';
import { SetupError } from '../lib/errors.ts';
import { defaultThresholds, falseMatchesOf, faultsOfDistances, recallOf, tryEdits } from '../similarity/index.ts';
import type { CalibrationPicture, Trial } from '../similarity/index.ts';
import { distanceBounds, getTenant, parseDistances, setTenant } from '../tenants/index.ts';
import type { Distances } from '../tenants/index.ts';
import type { EditClass } from '../analysis/index.ts';
import { writeLine, table } from './output.ts';
import { evenly, pictureFilesIn } from './picture-files.ts';
import { createProgress } from './progress.ts';
import { withSession } from './session.ts';
import { wholeFrom } from './values.ts';

type Options = Readonly<{
  pictures: number;
  near: number;
  same: number;
  store?: boolean;
  tenant: string;
  json?: boolean;
}>;

export function addCalibrateCommand(program: Command): void {
  program
    .command('calibrate <folder>')
    .description('edit sample pictures in many ways, and measure how well their duplicates are found')
    .option('--pictures <n>', 'maximum number of pictures, evenly spread', wholeFrom(2), 100)
    .option('--near <bits>', 'largest distance for i===', wholeFrom(0), defaultThresholds.near)
    .option('--same <bits>', 'largest distance for i==', wholeFrom(0), defaultThresholds.same)
    .option('--store', 'set these distances for a tenant if the results are good')
    .option('--tenant <name>', 'tenant to set them for', 'default')
    .option('--json', 'print JSON')
    .action(async (folder: string, { pictures: most, near, same, store: stores, tenant, json }: Options) => {
      if (stores === true) await checkStorable(tenant, { near, same });
      const pictures = await readPictures(folder, most);
      const trials: Trial[] = [];
      const progress = createProgress({ json });
      for await (const trial of tryEdits(pictures, { ...defaultThresholds, near, same })) {
        trials.push(trial);
        progress.show(() => `tried ${trials.length} edits of ${pictures.length} pictures`);
      }
      progress.close();
      const result = { pictures: pictures.length, recall: recallOf(trials), falseMatches: falseMatchesOf(trials) };
      writeLine({ ...result, trials }, { json, text: () => describe(result, trials, { near, same }) });
      if (stores === true) await store(tenant, { near, same }, pictures.length, trials);
    });
}

/** Quick checks before the long work. @throws SetupError for distances out of bounds, or an unknown tenant. */
async function checkStorable(tenant: string, { near, same }: Distances): Promise<void> {
  if (parseDistances(`${near},${same}`) === null) {
    const [of, to] = [distanceBounds.near, distanceBounds.same];
    const bounds = `--near takes ${of.min} to ${of.max}, --same ${to.min} to ${to.max}, the first less than the second`;
    throw new SetupError(`These distances cannot be stored: ${bounds}.`);
  }
  await withSession(({ backing }) => getTenant(backing.database, tenant));
}

/** Stores the distances. @throws SetupError that lists everything that speaks against them. */
async function store(tenant: string, distances: Distances, pictures: number, trials: readonly Trial[]): Promise<void> {
  const faults = faultsOfDistances(distances, pictures, trials);
  if (faults.length > 0) throw new SetupError(`Nothing was stored:\n  ${faults.join('\n  ')}`);
  const text = `${distances.near},${distances.same}`;
  await withSession(({ backing }) => setTenant(backing.database, tenant, [`duplicate_distances=${text}`]));
  process.stderr.write(`Searches of '${tenant}' now use the distances ${text}\n`);
}

async function readPictures(folder: string, most: number): Promise<CalibrationPicture[]> {
  const files = await pictureFilesIn(folder);
  if (files.length < 2) throw new SetupError(`${folder} contains fewer than two pictures`);
  return Promise.all(evenly(files, most).map(async (file) => ({ name: file, bytes: await readFile(file) })));
}

type Result = Readonly<{
  pictures: number;
  recall: ReturnType<typeof recallOf>;
  falseMatches: ReturnType<typeof falseMatchesOf>;
}>;

const percent = (part: number, whole: number) => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`);

/** What edits of each class leave of a picture. */
const meaning: Readonly<Record<EditClass, string>> = {
  near: 'the same pixels, encoded differently',
  same: 'the same picture, resized or toned',
  edited: 'overlays, small rotations and crops',
  variant: 'crops, frames, flips, rotations',
};
/** Maximum mistakes that are printed; more are not useful. */
const mostLines = 20;

function describe({ pictures, recall, falseMatches }: Result, trials: readonly Trial[], distances: Distances): string {
  const operatorOf = new Map(recall.map((row) => [row.class, row.operator]));
  const byEdit = [...new Set(trials.map(({ edit }) => edit))].map((name) => {
    const own = trials.filter(({ edit }) => edit === name);
    const found = (tiers: readonly string[]) =>
      String(own.filter(({ tier }) => tier !== null && tiers.includes(tier)).length);
    const wanted = `i${operatorOf.get(own[0]?.class ?? 'near')}`;
    return [name, wanted, found(['near']), found(['near', 'same']), found(['near', 'same', 'edited']), `${own.length}`];
  });
  const wrong = trials.flatMap(({ original, edit, others }) =>
    others.map(({ name, tier }) => `${original} (${edit}) was matched with ${name}: ${tier}`),
  );
  const missed = trials.filter(({ tier }) => tier === null).map(({ original, edit }) => `${original} (${edit})`);
  return [
    `${trials.length} edits of ${pictures} pictures; i=== up to ${distances.near} bits, i== up to ${distances.same}`,
    '',
    table(
      ['edits leave', 'asked', 'found', 'of'],
      recall.map((row) => [
        meaning[row.class],
        `i${row.operator}`,
        percent(row.found, row.trials),
        `${row.found} of ${row.trials}`,
      ]),
    ),
    '',
    table(
      ['asked', 'answers', 'another picture'],
      falseMatches.map((row) => [`i${row.operator}`, String(row.answers), String(row.wrong)]),
    ),
    '',
    table(['edit', 'must find', 'i===', 'i==', 'i=', 'of'], byEdit),
    ...listed('Matched with another picture', wrong),
    ...listed('Not found by any operator', missed),
  ].join('\n');
}

function listed(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length > mostLines ? [`  and ${lines.length - mostLines} more: --json lists all`] : [];
  return ['', `${title}:`, ...lines.slice(0, mostLines).map((line) => `  ${line}`), ...more];
}
