import { readdirSync, readFileSync } from 'node:fs';

const sampleMs = 50;
const familyMs = 500;

export type MemoryWatch = Readonly<{
  /** Resident memory now, in MiB, of a process and all that descend from it but PostgreSQL; 0 where it cannot be read. */
  now(): number;
  /** The most since this was last asked. */
  takePeak(): number;
  /** Processes of the family without PostgreSQL. */
  family(): readonly number[];
  stop(): void;
}>;

/** Watches the memory of whatever process `pid` names at the moment. Linux only. */
export function watchMemory(pid: () => number): MemoryWatch {
  let family: number[] = [];
  let peak = 0;
  const now = () => family.reduce((sum, each) => sum + residentMiB(each), 0);
  const findFamily = () => (family = familyOf(pid()));
  const timers = [
    setInterval(findFamily, familyMs),
    setInterval(() => {
      peak = Math.max(peak, now());
    }, sampleMs),
  ];
  findFamily();
  return {
    now,
    takePeak() {
      const most = Math.max(peak, now());
      peak = 0;
      return most;
    },
    family: () => family,
    stop() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

function familyOf(root: number): number[] {
  if (root === 0) return []; // Between two processes of the service.
  const children = new Map<number, number[]>();
  for (const [pid, parent] of processes()) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

/** Every process but PostgreSQL's, with its parent. */
function processes(): [pid: number, parent: number][] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        const [, command, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(read(`/proc/${name}/stat`)) ?? [];
        return command === undefined || command === 'postgres' ? [] : [[Number(name), Number(parent)]];
      }) as [number, number][];
  } catch {
    return [];
  }
}

function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

/** A file of a process, or nothing when the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
