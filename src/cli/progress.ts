import process from 'node:process';

/** How often a line is written where it cannot be written over: often enough to see that something happens. */
const plainMs = 5_000;
const terminalMs = 200;

/** Says on standard error how far something is: one line that changes on a terminal, a line now and then elsewhere. */
export type Progress = Readonly<{
  /** Says how far it is, as often as there is something to say; the latest line is shown. */
  show(line: () => string): void;
  /** Writes a line that stays. */
  note(line: string): void;
  /** Removes the changing line. */
  close(): void;
}>;

const silent: Progress = { show: () => {}, note: () => {}, close: () => {} };

/** Progress for a person; none where the output is for a program. */
export function createProgress({ json }: Readonly<{ json: boolean | undefined }>): Progress {
  if (json) return silent;
  const { stderr } = process;
  const clear = stderr.isTTY ? '\r\u001B[K' : '';
  let shownAt = performance.now() - (stderr.isTTY ? terminalMs : 0);
  return {
    show(line) {
      const now = performance.now();
      if (now - shownAt < (stderr.isTTY ? terminalMs : plainMs)) return;
      shownAt = now;
      // A line that is longer than the terminal is wide would begin a new one each time.
      stderr.write(stderr.isTTY ? clear + line().slice(0, (stderr.columns || 80) - 1) : `${line()}\n`);
    },
    note(line) {
      stderr.write(`${clear}${line}\n`);
    },
    close() {
      stderr.write(clear);
    },
  };
}

/** A time span as people say it: "8 s", "3 min", "2 h 5 min". */
export function inTime(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

/** How fast something goes and how long it still takes: " · 6.1 a second · 12 s left"; nothing before it is known. */
export function pace(done: number, total: number, seconds: number): string {
  if (done === 0 || seconds < 0.5) return '';
  const perSecond = done / seconds;
  const speed = perSecond >= 1 ? `${rounded(perSecond)} a second` : `${rounded(perSecond * 60)} a minute`;
  const left = (total - done) / perSecond;
  return total > done ? ` · ${speed} · ${inTime(left)} left` : ` · ${speed}`;
}

function rounded(value: number): string {
  return value >= 20 ? String(Math.round(value)) : value.toFixed(1);
}
