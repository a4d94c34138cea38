import type { Context } from '../schema/context.ts';
import type { Executor, Variables } from './executor.ts';
import type { Subscribed } from './subscription.ts';

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
