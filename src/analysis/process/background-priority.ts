import process from 'node:process';
import { setSessionPriority } from '../../lib/lower-priority.ts';
import { leftoverNiceness } from '../limits.ts';

const limits = {
  tickMs: 500,
  /** Minimum share of one processor. On a machine that is busy with other work, the lowest priority would get none. */
  leastShare: 0.25,
  /** How long the usual priority holds after that. */
  retreatMs: 10_000,
} as const;

type BackgroundPriorityOptions = Readonly<{
  /** Nice value while no requests are answered. */
  usual: number;
  /** @returns whether the nice value could be set. */
  set?: (niceness: number) => boolean;
  /** Processor time of this process, in milliseconds. */
  processorMs?: () => number;
  now?: () => number;
}>;

/**
 * The priority of a process that analyzes stored pictures. While requests are answered, it uses only the processor time that
 * they leave, so that a new request need not wait for a picture. On a machine that does nothing else, this is nearly as much
 * as before. If the process gets next to nothing, it returns to its usual priority for a while.
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

  /** Starts or stops leaving processors to requests. */
  giveWay(isOn: boolean): void {
    this.#givesWay = isOn;
    this.#apply();
    if (isOn) this.#timer ??= setInterval(() => this.tick(), limits.tickMs).unref();
  }

  /** Checks how much processor time the process has had since the last call. */
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
    // If setting it failed, the next tick tries again.
    if (wanted === this.#current || !set(wanted)) return;
    this.#current = wanted;
    this.#before = { at: now(), processorMs: processorMs() };
  }
}

function usedProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
