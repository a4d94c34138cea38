// npm run chaos [-- --kills N --seed S --processes N --redis]: kills processes while tenants write and
// undo, then compares the catalog with a model and replays its history. Exit code 1 when something differs.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { runChaos } from './run.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { kills: text, seed: text, processes: text, redis: { type: 'boolean' } } });
const kills = Number(values.kills ?? 200);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
/** Of each role. */
const processes = values.processes === undefined ? null : Number(values.processes);
const hasRedis = values.redis ?? false;
const say = (line: string) => process.stdout.write(`${line}\n`);

say(`seed ${seed}, ${kills} kills, the queue on ${hasRedis ? 'Redis' : 'PostgreSQL'}`);
const began = performance.now();
const verdict = await runChaos({
  kills,
  seed,
  tenants: 6,
  apis: processes ?? 2,
  workers: processes ?? 3,
  hasRedis,
  maxSize: 2000,
  onKill(count, victim) {
    if (count % 10 === 0 || count === kills) say(`${String(count).padStart(5)} kills, the last of ${victim}`);
  },
});
say(
  Object.entries(verdict.kills)
    .map(([victim, count]) => `${victim} ${count}`)
    .join(', '),
);
say(
  `${verdict.operations} operations (${verdict.aborted} aborted, ${verdict.undone} undos) of ${verdict.elements} elements, ` +
    `${verdict.lost} requests lost before they were accepted`,
);
say(`all finished ${verdict.settledSeconds.toFixed(1)} s after the last kill; ${minutes()} minutes in all`);
for (const fault of verdict.faults.slice(0, 40)) say(`FAULT  ${fault}`);
say(verdict.faults.length === 0 ? 'the catalog is what it must be' : `${verdict.faults.length} FAULTS`);
process.exitCode = verdict.faults.length === 0 ? 0 : 1;

function minutes(): string {
  return ((performance.now() - began) / 60_000).toFixed(1);
}
