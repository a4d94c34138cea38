import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../src/lib/package-root.ts';
import type { FromAttacker, Job, Measured, Tally, ToAttacker, ToQuiet } from './messages.ts';

/** The process that plays hostile exchanges. */
export type Attacker = Readonly<{
  play(job: Job, onProgress?: (done: number) => void): Promise<Tally[]>;
  /** Names and numbers of exchanges under way and of those that have just ended. */
  recent(): Promise<string[]>;
  stop(): void;
}>;

/** The process that is the quiet tenant. */
export type Quiet = Readonly<{ measure(message: Omit<ToQuiet, 'kind'>): Promise<Measured>; stop(): void }>;

export function startAttacker(): Attacker {
  const child = start('attacker.js');
  const send = (message: ToAttacker) => child.send(message);
  return {
    async play(job, onProgress = () => {}) {
      send({ kind: 'play', job });
      for (;;) {
        const message = await nextOf(child, ['progress', 'finished']);
        if (message.kind === 'progress') onProgress(message.done);
        if (message.kind === 'finished') return message.tallies;
      }
    },
    async recent() {
      send({ kind: 'recent' });
      const message = await nextOf(child, ['recent']);
      return message.kind === 'recent' ? message.names : [];
    },
    stop: () => end(child),
  };
}

export function startQuiet(): Quiet {
  const child = start('quiet.js');
  return {
    measure(message) {
      child.send({ kind: 'measure', ...message } satisfies ToQuiet);
      return next<Measured>(child);
    },
    stop: () => end(child),
  };
}

function start(name: string): ChildProcess {
  // A session of its own, because Linux shares processors out among sessions first.
  return fork(join(packageRoot, 'dist', 'attack', name), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
}

/** Ends when its parent has ended. */
function end(child: ChildProcess): void {
  if (child.connected) child.disconnect();
}

/** The next message of one of these kinds. */
function nextOf(child: ChildProcess, kinds: readonly FromAttacker['kind'][]): Promise<FromAttacker> {
  return next<FromAttacker>(child, ({ kind }) => kinds.includes(kind));
}

/** The next message of a helper that is wanted. @throws Error when the helper has ended. */
function next<T>(child: ChildProcess, isWanted: (message: T) => boolean = () => true): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null, signal: string | null) =>
      reject(new Error(`a process that helps in the attack has ended: ${signal ?? `code ${code}`}`));
    const onMessage = (message: unknown) => {
      // Both ends are of this folder: what comes is what its types say.
      if (!isWanted(message as T)) return;
      child.off('message', onMessage);
      child.off('exit', onExit);
      resolve(message as T);
    };
    child.on('message', onMessage);
    child.once('exit', onExit);
  });
}
