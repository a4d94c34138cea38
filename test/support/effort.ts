import process from 'node:process';

/** How much a run tries: 0 for `npm test`, 1 for `npm run test:full`, more to generate that many times as much. */
const effort = Number(process.env['TEST_EFFORT'] ?? 0);

/** Options of a test that tries more of what others make sure of, or takes long: `npm run test:full` runs it. */
export const full = { tags: ['full'] };

/** How many cases a test generates, by `npm test` and by `npm run test:full`. */
const generated = {
  formulas: [200, 2000],
  'answers of lists': [30, 250],
  'members of answers': [60, 600],
  'SQL of formulas': [100, 1000],
  'saved formulas': [30, 300],
  'work of formulas': [10, 40],
  'requests to an endpoint': [3, 40],
  'GraphQL documents': [30, 300],
  'walks through lists': [8, 150],
  paths: [30, 300],
  pictures: [60, 300],
  'pairs of hashes': [300, 5000],
  'groups of hashes': [30, 150],
  'searches of vectors': [20, 300],
  values: [30, 300],
  'totals of words': [20, 100],
  'documents of Meilisearch': [30, 300],
  'writes and undos': [4, 100],
  'writes that are watched': [30, 500],
  'writes and dry runs': [10, 60],
} as const satisfies Record<string, readonly [quick: number, full: number]>;

/** How many cases to generate of a kind. */
export function runsOf(kind: keyof typeof generated): number {
  const [quick, all] = generated[kind];
  return Math.ceil(effort === 0 ? quick : all * effort);
}

/** The first cases of a table, or all of them in a run that tries everything. */
export function firstOf<T>(quick: number, cases: readonly T[]): readonly T[] {
  return effort === 0 ? cases.slice(0, quick) : cases;
}

/** Every nth of the cases, others for the next start; or all of them in a run that tries everything. */
export function everyNth<T>(n: number, start: number, cases: readonly T[]): readonly T[] {
  return effort === 0 ? cases.filter((_, at) => at % n === start % n) : cases;
}

/** How large something is made: by `npm test`, by `npm run test:full`, and with a `TEST_EFFORT` above 1. */
export function sizeOf(quick: number, all: number, most = all): number {
  if (effort > 1) return most;
  return effort === 0 ? quick : all;
}

/** Options of a test that ends sooner than a bound which a busy machine can miss. */
export const timed = { tags: ['timed'] };
