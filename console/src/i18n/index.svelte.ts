import { preferences } from '../state/preferences.svelte.ts';
import { en } from './en.ts';
import type { Words } from './en.ts';
import { es } from './es.ts';

const dictionaries = { en, es };

/** The words in the chosen language. */
export function t(): Words {
  return dictionaries[preferences.language];
}

/** A number in the format of the language. */
export function number(value: number, options: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat(preferences.language, options).format(value);
}

const byteUnits = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** A number of bytes, in its largest unit. */
export function fileSize(bytes: number): string {
  const power = Math.floor(Math.log10(Math.max(1, bytes)) / 3);
  const step = Math.min(byteUnits.length, Math.max(1, power));
  const unit = byteUnits[step - 1] ?? 'kilobyte';
  return number(bytes / 1_000 ** step, { style: 'unit', unit, maximumFractionDigits: 1 });
}

/** A fraction of 1 as a percentage. */
export function percent(share: number): string {
  return number(share, { style: 'percent', maximumFractionDigits: 0 });
}

/** A point in time in the format of the language. */
export function moment(time: string): string {
  return new Intl.DateTimeFormat(preferences.language, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(time),
  );
}

/** A duration in seconds, in its largest unit. */
export function duration(seconds: number): string {
  const [value, unit] =
    seconds < 60 ? [seconds, 'second'] : seconds < 3_600 ? [seconds / 60, 'minute'] : [seconds / 3_600, 'hour'];
  return number(Math.max(1, Math.round(value)), { style: 'unit', unit, unitDisplay: 'long' });
}
