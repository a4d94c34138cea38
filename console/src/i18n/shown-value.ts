import { moment, number, t } from './index.svelte.ts';
import { preferences } from '../state/preferences.svelte.ts';

type ShownField = Readonly<{ name: string; kind: string }>;

/** A date or a period in the format of the language; any other text is returned unchanged. */
function day(text: string): string {
  const [, year, month, date] = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(text) ?? [];
  if (year === undefined) return text;
  const time = new Date(`${year}-${month}-${date ?? '01'}T00:00:00Z`);
  if (Number.isNaN(time.getTime())) return text;
  const parts = { year: 'numeric', month: 'short', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(
    preferences.language,
    date === undefined ? parts : { ...parts, day: 'numeric' },
  ).format(time);
}

/** A value of a field in the words and formats of the language; for a list, one text per value. */
export function shownValues(value: unknown, field: ShownField | undefined): readonly string[] {
  if (value === null || value === undefined || value === '') return [];
  if (Array.isArray(value)) return value.flatMap((each) => shownValues(each, field));
  if (typeof value === 'boolean') return [value ? t().yes : t().no];
  if (typeof value === 'number' && !Number.isInteger(value)) return [number(value, { maximumFractionDigits: 2 })];
  const text = String(value);
  if (field?.kind === 'time') return [moment(text)];
  if (field?.kind === 'date') return [day(text)];
  return [t().values.fields[field?.name ?? '']?.[text] ?? text];
}
