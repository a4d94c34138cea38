// The writes of one tenant: random, and of known outcome.
import type { Action, Element, Flaw, OperationRecord, RecordsWrite, UndoWrite, Write } from './model.ts';
import type { Random } from './random.ts';
import type { Rule } from './undo.ts';

/** Widths of the pictures in the media folder; the width names the file. */
export const widths = [8, 9, 10, 11, 12, 13, 14, 15] as const;

export const pictureOf = (width: number): string => `w${width}.png`;

/** The video in the media folder. */
export const clip = { name: 'clip.mp4', width: 384 } as const;

/** A kind of records, and its sources. */
export type Kind = Readonly<{
  path: string;
  id: string;
  sortBy: string;
  widths: readonly number[];
  sourceOf(width: number): string;
  /** A file that is there and no picture, and one that is not there. */
  flawedFiles: Readonly<Partial<Record<Flaw, string>>>;
  /** Whether each reading of a source is another file: a video is not read as a whole. */
  readsAnew: boolean;
}>;

export const kinds = {
  image: {
    path: '/imgs',
    id: 'image_id',
    sortBy: 'image_id',
    widths,
    sourceOf: pictureOf,
    flawedFiles: { unsupported_media: 'text.png', source_unreachable: 'missing.png' },
    readsAnew: false,
  },
  video: {
    path: '/vids',
    id: 'video_id',
    sortBy: 'id',
    widths: [clip.width],
    sourceOf: () => clip.name,
    flawedFiles: { unsupported_media: 'text.mp4', source_unreachable: 'missing.mp4' },
    readsAnew: true,
  },
} as const satisfies Record<string, Kind>;

const rules: Readonly<Record<Rule, number>> = { skip: 3, overwrite: 2, fail: 1 };
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

export function randomWrite(random: Random, kind: Kind, number: number, maxSize: number): RecordsWrite {
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
    const width = kind.widths[random.between(0, kind.widths.length - 1)] ?? 0;
    return { id, title: `write ${number}, element ${i}`, width, flaw };
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

/** Undoes an operation, under any rule. */
export function randomUndo(random: Random, target: number): UndoWrite {
  return { action: 'undo', target, rule: random.pick(rules), strict: random.chance(0.1), urgent: random.chance(0.15) };
}

/** The write as a request. */
export function toRequest(kind: Kind, write: Write): { method: string; path: string; body?: string } {
  const flags = `strict=${write.strict}&urgent=${write.urgent}`;
  if (write.action === 'undo') {
    return { method: 'POST', path: `/ops/${write.target}/undo?on_conflict=${write.rule}&${flags}` };
  }
  const [method, query] = requests[write.action];
  const body = JSON.stringify(write.elements.map((element) => toBody(kind, write.action, element)));
  return { method, path: `${kind.path}?${flags}${query}`, body };
}

function toBody(kind: Kind, action: Action, { id, title, width, flaw }: Element): object {
  if (action === 'delete') return { id };
  if (action === 'update') return { id, title };
  const source = { src_path: (flaw === null ? undefined : kind.flawedFiles[flaw]) ?? kind.sourceOf(width) };
  if (flaw === 'invalid_field') return { id, title, date: '2023-02-30', ...source };
  if (flaw === 'source_conflict') return { id, title, src: 'https://example.com/a.png', ...source };
  return { id, title, ...source };
}

const methods: Readonly<Record<Action, string>> = {
  create: 'add',
  replace: 'upd',
  upsert: 'upd',
  update: 'upd',
  delete: 'del',
};

/** What a record of an operation shows of its write. */
export function signatureOf(write: Write): string {
  if (write.action !== 'undo') {
    return [methods[write.action], write.elements.length, write.strict, write.urgent].join(' ');
  }
  return ['undo', write.target, write.strict || write.rule === 'fail', write.urgent].join(' ');
}

/** The same of a record. */
export function signatureOfRecord(record: OperationRecord): string {
  const what = record.undoes === undefined ? [record.method, record.num_total] : ['undo', record.undoes];
  return [...what, record.do_strict, record.do_urgent].join(' ');
}
