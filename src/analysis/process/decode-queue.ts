import type { DecodeCost } from '../decode-cost.ts';
import { urgencies } from '../limits.ts';
import type { Urgency } from '../limits.ts';

type DecodeQueueOptions = Readonly<{
  /** Number of large pictures decoded at the same time, per urgency. */
  slots: number;
  /** Memory for all of them together. A picture that needs more is decoded alone. */
  memoryBytes: number;
}>;

export type DecodeSlot = Readonly<{ owner: number; cost: DecodeCost; urgency: Urgency; signal?: AbortSignal }>;

type Waiting = Readonly<{ cost: DecodeCost; begin: () => void }>;

/** `servedUntil` is where the owner's next picture starts on its timeline, in seconds of decoding. */
type Owner = { servedUntil: number; readonly waiting: Waiting[] };

/** The pictures of one urgency. `clock` is where, on its timeline, the last picture that was started begins. */
type Line = { running: number; clock: number; readonly owners: Map<number, Owner> };

/**
 * Determines the order in which large pictures are decoded. Each owner (a tenant, by id) has a timeline on which its
 * pictures follow one another, each as long as its decoding takes; the picture with the earliest start on any timeline is
 * next. So waiting owners get equal time, whatever their pictures cost, and a new one never waits behind another's backlog.
 * Interactive pictures have their own slots, and get memory before others.
 */
export class DecodeQueue {
  readonly #options: DecodeQueueOptions;
  readonly #lines: Readonly<Record<Urgency, Line>> = { interactive: createLine(), background: createLine() };
  #running = 0;
  #memoryBytes = 0;

  constructor(options: DecodeQueueOptions) {
    this.#options = options;
  }

  /** Runs `work` when it is its turn. @throws what `work` throws; the signal's reason while it waits. */
  async run<T>(slot: DecodeSlot, work: () => Promise<T>): Promise<T> {
    slot.signal?.throwIfAborted();
    await this.#wait(slot);
    try {
      return await work();
    } finally {
      this.#lines[slot.urgency].running -= 1;
      this.#running -= 1;
      this.#memoryBytes -= slot.cost.memoryBytes;
      this.#serve();
    }
  }

  #wait({ owner: id, cost, urgency, signal }: DecodeSlot): Promise<void> {
    const { waiting } = ownerOf(this.#lines[urgency], id);
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(mine), 1);
        reject(signal?.reason as Error);
        this.#serve(); // The others may have been waiting behind it.
      };
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const mine: Waiting = { cost, begin };
      signal?.addEventListener('abort', leave);
      waiting.push(mine);
      this.#serve();
    });
  }

  #serve(): void {
    for (const urgency of urgencies) {
      const line = this.#lines[urgency];
      while (line.running < this.#options.slots) {
        const owner = nextOf(line);
        const next = owner?.waiting[0];
        if (owner === undefined || next === undefined) break;
        // Nothing overtakes a picture that needs much memory, or it would wait forever.
        if (this.#running > 0 && this.#memoryBytes + next.cost.memoryBytes > this.#options.memoryBytes) return;
        this.#begin(line, owner, next);
      }
    }
  }

  #begin(line: Line, owner: Owner, next: Waiting): void {
    owner.waiting.shift();
    line.clock = owner.servedUntil;
    owner.servedUntil += next.cost.seconds;
    line.running += 1;
    this.#running += 1;
    this.#memoryBytes += next.cost.memoryBytes;
    for (const [id, { servedUntil, waiting }] of line.owners) {
      if (waiting.length === 0 && servedUntil <= line.clock) line.owners.delete(id);
    }
    next.begin();
  }
}

function createLine(): Line {
  return { running: 0, clock: 0, owners: new Map() };
}

/** The owner's state when one more of its pictures arrives: unused time is not saved up. */
function ownerOf(line: Line, id: number): Owner {
  let owner = line.owners.get(id);
  if (owner === undefined) line.owners.set(id, (owner = { servedUntil: line.clock, waiting: [] }));
  if (owner.waiting.length === 0) owner.servedUntil = Math.max(owner.servedUntil, line.clock);
  return owner;
}

function nextOf({ owners }: Line): Owner | undefined {
  let first: Owner | undefined;
  for (const owner of owners.values()) {
    if (owner.waiting.length === 0) continue;
    if (first === undefined || owner.servedUntil < first.servedUntil) first = owner;
  }
  return first;
}
