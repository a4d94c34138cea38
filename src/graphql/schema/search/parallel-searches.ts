import type { Context } from '../context.ts';

/**
 * Maximum number of searches that one document runs at the same time: it may request twenty lists, and the count of each.
 */
export const parallelSearches = 4;

type Searches = { running: number; readonly waiting: (() => void)[] };

const searches = new WeakMap<Context, Searches>();

/**
 * Runs a search of a request once fewer than `parallelSearches` others of it are running. A search must not wait for another
 * one.
 */
export async function inParallel<T>(context: Context, search: () => Promise<T>): Promise<T> {
  let own = searches.get(context);
  if (own === undefined) searches.set(context, (own = { running: 0, waiting: [] }));
  const { waiting } = own;
  // A search that ends passes its slot to the next.
  if (own.running < parallelSearches) own.running += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await search();
  } finally {
    const next = waiting.shift();
    if (next === undefined) own.running -= 1;
    else next();
  }
}
