// The writes of one tenant: random, and of known outcome.
import type { Action, Element, Flaw, Write } from './model.ts';
import type { Random } from './random.ts';

/** Widths of the pictures in the media folder; the width names the file. */
export const widths = [8, 9, 10, 11, 12, 13, 14, 15] as const;

export const pictureOf = (width: number): string => `w${width}.png`;

/** A file that is there and no picture, and one that is not there. */
export const flawedFiles: Readonly<Partial<Record<Flaw, string>>> = {
  unsupported_media: 'text.png',
  source_unreachable: 'missing.png',
};

const actions: Readonly<Record<Action, number>> = { create: 30, upsert: 20, replace: 15, update: 15, delete: 20 };
const sizes = { one: 45, few: 30, hundreds: 20, thousands: 5 } as const;
const bounds: Readonly<Record<keyof typeof sizes, readonly [number, number]>> = {
  one: [1, 1],
  few: [2, 30],
  hundreds: [150, 500],
  thousands: [1000, 2000],
};
const flaws: Readonly<Record<Flaw, number>> = {
  invalid_field: 1,
  source_conflict: 1,
  source_unreachable: 1,
  unsupported_media: 1,
};

/** Ids that writes meet on; few enough that most are written many times. */
const ids = 1500;

export function randomWrite(random: Random, number: number, maxSize: number): Write {
  const action = random.pick(actions);
  const [min, max] = bounds[random.pick(sizes)];
  const strict = random.chance(0.2);
  // Some batches are without fault, or strict ones would never be stored.
  const faultShare = random.chance(strict ? 0.7 : 0.3) ? 0 : 0.04;
  const isFresh = action === 'create' && random.chance(0.5);
  const from = random.between(0, ids - 1);
  const length = Math.min(random.between(min, max), maxSize);
  const elements = Array.from({ length }, (_, i): Element => {
    const place = isFresh ? `new-${number}-${i}` : `id-${(from + i) % (ids + maxSize)}`;
    const id = random.chance(faultShare) && i > 0 ? `${isFresh ? `new-${number}-0` : `id-${from}`}` : place;
    const flaw = action !== 'delete' && action !== 'update' && random.chance(faultShare) ? random.pick(flaws) : null;
    return { id, title: `write ${number}, element ${i}`, width: widths[random.between(0, 7)] ?? 8, flaw };
  });
  return { action, elements, strict, urgent: random.chance(0.15) };
}

const requests: Readonly<Record<Action, readonly [method: string, query: string]>> = {
  create: ['POST', ''],
  replace: ['PUT', ''],
  upsert: ['PUT', '&upsert=true'],
  update: ['PATCH', ''],
  delete: ['DELETE', ''],
};

/** The write as a request. */
export function toRequest({ action, elements, strict, urgent }: Write): { method: string; path: string; body: string } {
  const [method, query] = requests[action];
  const body = JSON.stringify(elements.map((element) => toBody(action, element)));
  return { method, path: `/imgs?strict=${strict}&urgent=${urgent}${query}`, body };
}

function toBody(action: Action, { id, title, width, flaw }: Element): object {
  if (action === 'delete') return { id };
  if (action === 'update') return { id, title };
  const source = { src_path: (flaw === null ? undefined : flawedFiles[flaw]) ?? pictureOf(width) };
  if (flaw === 'invalid_field') return { id, title, date: '2023-02-30', ...source };
  if (flaw === 'source_conflict') return { id, title, src: 'https://example.com/a.png', ...source };
  return { id, title, ...source };
}

/** What a record of an operation shows of its write. */
export function signatureOf({ action, elements, strict, urgent }: Write): string {
  const method = { create: 'add', replace: 'upd', upsert: 'upd', update: 'upd', delete: 'del' }[action];
  return [method, elements.length, strict, urgent].join(' ');
}
