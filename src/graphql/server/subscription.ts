import type { ExecutionResult } from 'graphql';
import type { Context } from '../schema/context.ts';
import { withClientErrors } from '../schema/errors.ts';
import { mapIterator } from '../../lib/map-iterator.ts';
import type { ReferenceArgs, ReferenceExecutor } from './reference-executor.ts';

/** A stream of results, or one result with the errors. */
export type SubscriptionStart = Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult>;

/** Starts a subscription. It is not compiled, because its results are few and small. */
export async function beginSubscription(
  reference: ReferenceExecutor,
  args: ReferenceArgs & { contextValue: Context },
): SubscriptionStart {
  const { services, requestId } = args.contextValue;
  const masked = (result: ExecutionResult) => withClientErrors(result, services, requestId);
  const begun = await reference.subscribe(args);
  return Symbol.asyncIterator in begun ? mapIterator(begun, masked) : masked(begun);
}
