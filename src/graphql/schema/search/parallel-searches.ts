import pLimit from 'p-limit';
import type { LimitFunction } from 'p-limit';
import type { Context } from '../context.ts';

/** Searches of one document that run at the same time: it may ask for twenty lists, and for the count of each. */
export const parallelSearches = 4;

const limiters = new WeakMap<Context, LimitFunction>();

/** Runs a search of a request as soon as few enough others of it run. A search must not wait for another one. */
export function inParallel<T>(context: Context, search: () => Promise<T>): Promise<T> {
  let limiter = limiters.get(context);
  if (limiter === undefined) limiters.set(context, (limiter = pLimit(parallelSearches)));
  return limiter(search);
}
