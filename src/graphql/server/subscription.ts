import { subscribe } from 'graphql';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Context } from '../schema/context.ts';
import type { Executor, Variables } from './executor.ts';
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

/** A subscription that is read and checked once and begun many times. @throws GraphQLError for the first fault. */
export function readSubscription(
  executor: Executor,
  text: string,
): (variables: Variables, context: Context) => Subscribed {
  const document = executor.parse(text);
  const [fault] = executor.check(document);
  if (fault !== undefined) throw fault;
  return (variables, context) => executor.subscribe(document, variables, context);
}
