import { preferences } from '../state/preferences.svelte.ts';
import { en } from './en.ts';
import type { Words } from './en.ts';
import { es } from './es.ts';

const dictionaries = { en, es };

/** The words in the language that was chosen. */
export function t(): Words {
  return dictionaries[preferences.language];
}

/** A number as the language writes it. */
export function number(value: number, options: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat(preferences.language, options).format(value);
}

/** A share of 1 as a percentage. */
export function percent(share: number): string {
  return number(share, { style: 'percent', maximumFractionDigits: 0 });
}

/** A moment as the language writes it. */
export function moment(time: string): string {
  return new Intl.DateTimeFormat(preferences.language, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(time),
  );
}
