import { rows } from './rows.ts';
import type { Figures, Measured, RowName } from './rows.ts';

/** Sizes that are extrapolated unless they have been measured. */
const beyond = [10_000_000, 50_000_000];

/** No measured figure grows with the square: one that seems to is noise, and says nothing about other sizes. */
const mostPower = 1.5;

/** The value of a row at a size, and whether it was measured there. */
export type Estimate = Readonly<{ value: number; isMeasured: boolean }>;

/**
 * A figure for a catalog of any size: measured, interpolated between two measured sizes, or extrapolated from the two
 * largest as a power of the size. Below the smallest size, it is at most the value there. Undefined if it cannot be
 * estimated.
 */
export function estimate(measured: Measured, name: RowName, size: number): Estimate | undefined {
  const value = measured.get(size)?.[name];
  if (value !== undefined) return { value, isMeasured: true };
  const sizes = sizesOf(measured, name);
  const near = sizes.find((other) => other < size) ?? sizes.at(-1);
  const known = near === undefined ? undefined : measured.get(near)?.[name];
  if (near === undefined || known === undefined) return undefined;
  const power = powerOf(measured, name, size);
  return power === null ? undefined : { value: known * (size / near) ** power, isMeasured: false };
}

/** Sizes at which a row was measured, the largest first. */
export function sizesOf(measured: Measured, name: RowName): number[] {
  const sizes = [...measured].filter(([, figures]) => figures[name] !== undefined).map(([size]) => size);
  return sizes.toSorted((a, b) => b - a);
}

/** How a row grows around a size, as a power of the size; at least 0. Null if unknown. */
function powerOf(measured: Measured, name: RowName, size: number): number | null {
  if ('isOfEach' in rows[name]) return 1;
  const sizes = sizesOf(measured, name);
  if (size < (sizes.at(-1) ?? 0)) return 0;
  // The next larger size and the one before it; beyond all sizes, the two largest.
  const at = Math.max(
    0,
    sizes.findLastIndex((other) => other > size),
  );
  const [large, small] = [sizes[at], sizes[at + 1]];
  if (large === undefined || small === undefined) return null;
  const [a, b] = [measured.get(small)?.[name] ?? 0, measured.get(large)?.[name] ?? 0];
  const power = Math.max(0, Math.log(b / a) / Math.log(large / small));
  return power > mostPower ? null : power;
}

/** Lines of a Markdown table, with a column for each measured size and, marked `~`, for larger ones. */
export function tableOf(measured: Measured, larger: readonly number[] = beyond): string[] {
  const sizes = [...measured.keys()].toSorted((a, b) => a - b);
  const largest = sizes.at(-1) ?? 0;
  const columns = [...sizes, ...larger.filter((size) => size > largest)];
  const names = (Object.keys(rows) as RowName[]).filter((name) => sizesOf(measured, name).length > 0);
  const head = ['what', ...columns.map((size) => `${measured.has(size) ? '' : '~ '}${inWords(size)}`)];
  const lines = names.map((name) => [
    rows[name].what,
    ...columns.map((size) => cell(estimate(measured, name, size), { name, isKnown: measured.has(size) })),
  ]);
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
}

function cell(found: Estimate | undefined, { name, isKnown }: Readonly<{ name: RowName; isKnown: boolean }>): string {
  if (found === undefined) return '–';
  // In a column of measured figures, estimates are marked; in a column of estimates, nothing is.
  return `${isKnown && !found.isMeasured ? '~ ' : ''}${show(found.value, rows[name].unit)}`;
}

/** A figure in a readable unit; large values use the larger one. */
export function show(value: number, unit: 'ms' | 's' | 'MB'): string {
  if (unit === 'ms' && value >= 2_000) return show(value / 1000, 's');
  if (unit === 'MB' && value >= 1_000) return `${digits(value / 1000)} GB`;
  if (unit === 's' && value >= 7_200) return `${digits(value / 3600)} h`;
  if (unit === 's' && value >= 600) return `${digits(value / 60)} min`;
  return `${digits(value)} ${unit}`;
}

function digits(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(2);
}

function inWords(size: number): string {
  return size >= 1_000_000 ? `${size / 1_000_000} M` : `${size / 1000} k`;
}

/** Reads figures by size from JSON. */
export function readMeasured(json: string): Measured {
  const all = JSON.parse(json) as Readonly<Record<string, Figures>>;
  return new Map(Object.entries(all).map(([size, figures]) => [Number(size), figures]));
}
