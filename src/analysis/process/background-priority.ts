import process from 'node:process';
import { setSessionPriority } from '../../lib/lower-priority.ts';
import { leftoverNiceness } from '../limits.ts';

const limits = {
  tickMs: 500,
  /** Of one processor. On a machine that is busy with other work, the lowest priority would mean none. */
  leastShare: 0.25,
  /** How long the usual priority then holds. */
  retreatMs: 10_000,
} as const;

export type BackgroundPriorityOptions = Readonly<{
  /** Nice value while nothing is answered. */
  usual: number;
  /** @returns whether the nice value could be set. */
  set?: (niceness: number) => boolean;
  /** Processor time of this process, in milliseconds. */
  processorMs?: () => number;
  now?: () => number;
}>;

/**
 * The priority of a process that analyzes stored pictures. While requests are answered it takes only what they leave,
 * which on a machine that does nothing else is nearly as much as before: a request that arrives need not wait for a
 * picture. Where it gets next to nothing, it goes back to its usual priority for a while.
 */
export class BackgroundPriority {
  readonly #options: Required<BackgroundPriorityOptions>;
  #givesWay = false;
  #current: number;
  #deprivedUntil = -Infinity;
  #before: Readonly<{ at: number; processorMs: number }>;
  #timer: NodeJS.Timeout | undefined;

  constructor({
    usual,
    set = setSessionPriority,
    processorMs = usedProcessorMs,
    now = () => performance.now(),
  }: BackgroundPriorityOptions) {
    this.#options = { usual, set, processorMs, now };
    this.#current = usual;
    this.#before = { at: now(), processorMs: processorMs() };
  }

  /** Leaves processors to requests, or stops that. */
  giveWay(isOn: boolean): void {
    this.#givesWay = isOn;
    this.#apply();
    if (isOn) this.#timer ??= setInterval(() => this.tick(), limits.tickMs).unref();
  }

  /** Checks what the process got since it was last called. */
  tick(): void {
    const { at, processorMs } = this.#before;
    const [now, used] = [this.#options.now(), this.#options.processorMs()];
    const isDeprived = used - processorMs < (now - at) * limits.leastShare;
    if (this.#current === leftoverNiceness && isDeprived) this.#deprivedUntil = now + limits.retreatMs;
    this.#before = { at: now, processorMs: used };
    this.#apply();
    if (this.#givesWay || this.#current !== this.#options.usual) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #apply(): void {
    const { usual, set, now, processorMs } = this.#options;
    const wanted = this.#givesWay && now() >= this.#deprivedUntil ? leftoverNiceness : usual;
    // What could not be set is tried again at the next tick.
    if (wanted === this.#current || !set(wanted)) return;
    this.#current = wanted;
    this.#before = { at: now(), processorMs: processorMs() };
  }
}

function usedProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
