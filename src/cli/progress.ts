import process from 'node:process';
import { printable } from './printable.ts';

/** Interval of progress lines where a line cannot be overwritten: short enough to show that something is happening. */
const plainMs = 5_000;
const terminalMs = 200;

/** Removes the current line of a terminal. */
export const clearLine = '\r\u001B[K';

/** Shows progress on standard error: one line that is updated on a terminal, occasional lines elsewhere. */
export type Progress = Readonly<{
  /** Shows the progress. May be called often: only some of the lines are written. */
  show(line: () => string): void;
  /** Writes a line that stays. */
  note(line: string): void;
  /** Removes the line that is updated. */
  close(): void;
}>;

const silent: Progress = { show: () => {}, note: () => {}, close: () => {} };

/** Progress for a person; silent if the output is for a program. */
export function createProgress({ json }: Readonly<{ json: boolean | undefined }>): Progress {
  if (json) return silent;
  const { stderr } = process;
  const clear = stderr.isTTY ? clearLine : '';
  let shownAt = performance.now() - (stderr.isTTY ? terminalMs : 0);
  return {
    show(line) {
      const now = performance.now();
      if (now - shownAt < (stderr.isTTY ? terminalMs : plainMs)) return;
      shownAt = now;
      // A line wider than the terminal would wrap, and each update would start a new line.
      stderr.write(
        stderr.isTTY ? clear + printable(line()).slice(0, (stderr.columns || 80) - 1) : `${printable(line())}\n`,
      );
    },
    note(line) {
      stderr.write(`${clear}${printable(line)}\n`);
    },
    close() {
      stderr.write(clear);
    },
  };
}

/** Formats a time span: "8 s", "3 min", "2 h 5 min". */
export function inTime(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

/** Speed and remaining time: " · 6.1 a second · 12 s left"; empty until they are known. */
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
