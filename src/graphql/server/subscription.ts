import { subscribe } from 'graphql';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Context } from '../schema/context.ts';
import { withClientErrors } from '../schema/errors.ts';
import { mapIterator } from '../../lib/map-iterator.ts';

/** A stream of results, or the one result that says why there is none. */
export type Subscribed = Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult>;

/** Begins a subscription. It is not compiled: each of its results is small, and they are few a second. */
export async function beginSubscription(args: ExecutionArgs & { contextValue: Context }): Subscribed {
  const { services, requestId } = args.contextValue;
  const masked = (result: ExecutionResult) => withClientErrors(result, services, requestId);
  const begun = await subscribe(args);
  return Symbol.asyncIterator in begun ? mapIterator(begun, masked) : masked(begun);
}
