// npm run attack: sends 100 000 hostile exchanges to a service that it starts, and says what they did to it. Exit code 1
// when a target is missed.
//   -- --long            a million
//   -- --short           under 90 seconds; without targets that depend on the machine's speed
//   -- --only NAME#7     one shape (or all whose names begin so), with the number of an exchange; --times N
//   -- --parts solos,sieges,mixed --seed N --count N --minutes N --json FILE
//   -- --siege NAME      sieges whose names begin so, alone
//   -- --chaos           beside processes that are killed at random; --kills N
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { attackBesideChaos } from './chaos.ts';
import { format } from './format-report.ts';
import type { AttackOptions } from './phases.ts';
import { runAttack } from './run.ts';
import { shapes } from './shapes/index.ts';
import { sieges } from './sieges.ts';
import { judge, judgeShort } from './verdict.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({
  options: {
    seed: text,
    count: text,
    minutes: text,
    only: text,
    siege: text,
    times: text,
    parts: { type: 'string', default: 'solos,sieges,mixed' },
    json: text,
    kills: text,
    long: flag,
    short: flag,
    chaos: flag,
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const minuteMs = 60_000;

const numeric = ['seed', 'count', 'minutes', 'times', 'kills'] as const;
const wrong = numeric.find((name) => values[name] !== undefined && !/^\d+$/.test(values[name]));
if (wrong !== undefined) {
  say(`--${wrong} takes a whole number, not '${values[wrong]}'.`);
  process.exit(1);
}

const [prefix, number] = values.only?.split('#') ?? [];
const names = prefix === undefined ? null : shapes.map(({ name }) => name).filter((name) => name.startsWith(prefix));
if (names?.length === 0) {
  say(`No shape is named '${prefix}'. These are: ${shapes.map(({ name }) => name).join(', ')}`);
  process.exit(1);
}

const chosen = values.siege === undefined ? sieges : sieges.filter((name) => name.startsWith(values.siege ?? ''));
if (chosen.length === 0) {
  say(`No siege is named '${values.siege}'. These are: ${sieges.join(', ')}`);
  process.exit(1);
}

const parts = values.siege === undefined ? values.parts.split(',') : ['sieges'];
const seed = Number(values.seed ?? 1);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

if (values.chaos) await besideChaos();
else await attackAlone();

async function attackAlone(): Promise<void> {
  const options = toOptions();
  const report = await runAttack(options);
  const checks = values.short ? judgeShort(report) : judge(report);
  say(`\n${format(report, checks)}`);
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify({ checks, report }, null, 2));
  process.exitCode = checks.every(({ passed }) => passed) ? 0 : 1;
}

async function besideChaos(): Promise<void> {
  const kills = Number(values.kills ?? 60);
  const { verdict, tallies } = await attackBesideChaos({ seed, kills, say });
  const exchanges = tallies.reduce((sum, { count, refused }) => sum + count - refused, 0);
  say(
    `${exchanges} hostile exchanges while ${kills} processes were killed; ${verdict.operations} operations of others`,
  );
  for (const fault of verdict.faults.slice(0, 40)) say(`FAULT  ${fault}`);
  say(verdict.faults.length === 0 ? 'the catalog is what it must be' : `${verdict.faults.length} FAULTS`);
  process.exitCode = verdict.faults.length === 0 ? 0 : 1;
}

function toOptions(): AttackOptions {
  const full: AttackOptions = {
    seed,
    names,
    number: number === undefined ? null : Number(number),
    count: parts.includes('mixed') ? Number(values.count ?? (values.long ? 1_000_000 : 100_000)) : 0,
    mixedMs: Number(values.minutes ?? (values.long ? 240 : 20)) * minuteMs,
    heavy: 2,
    records: 3_000,
    quietMs: 10_000,
    hasSolos: parts.includes('solos'),
    warmsUp: !values.short,
    sieges: parts.includes('sieges') ? chosen : [],
    stop: stop.signal,
    say,
  };
  const short = {
    count: 3_000,
    mixedMs: 25_000,
    heavy: 0,
    records: 500,
    quietMs: 0,
    hasSolos: false,
    sieges: [],
  };
  const one = { count: Number(values.times ?? 0), quietMs: 0, sieges: [] };

  return { ...full, ...(values.short && short), ...(names !== null && one) };
}
