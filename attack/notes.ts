import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';

/** A time in which the event loop of a process of the service took nothing. */
export type Block = Readonly<{ pid: number; ms: number; at: number }>;

export type Notes = Readonly<{
  path: string;
  /** Blocks that were noted since this was last asked. */
  takeBlocks(): Block[];
  /** Processes that answered requests so far, one after the other: each but the first stands for a crash. */
  answering(): readonly number[];
  close(): void;
}>;

type Note = Readonly<{ pid: number; at: number; blockedMs?: number; answers?: boolean }>;

/** The file in which the processes of the service note what happens to their event loops. */
export function openNotes(path: string): Notes {
  writeFileSync(path, '');
  const descriptor = openSync(path, 'r');
  const answering: number[] = [];
  const blocks: Block[] = [];
  let rest = '';

  function read(): void {
    const buffer = Buffer.alloc(64 * 1024);
    for (;;) {
      const length = readSync(descriptor, buffer, 0, buffer.length, null);
      if (length === 0) return;
      const lines = (rest + buffer.toString('utf8', 0, length)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(JSON.parse(line) as Note);
    }
  }

  function take({ pid, at, blockedMs, answers }: Note): void {
    if (answers === true && !answering.includes(pid)) answering.push(pid);
    if (blockedMs !== undefined) blocks.push({ pid, at, ms: blockedMs });
  }

  return {
    path,
    takeBlocks() {
      read();
      // Others of the service may decode and analyze for as long as they like.
      return blocks.splice(0).filter(({ pid }) => answering.includes(pid));
    },
    answering() {
      read();
      return answering;
    },
    close: () => closeSync(descriptor),
  };
}
