import type { Context } from '../schema/context.ts';
import type { Executor } from './executor.ts';
import type { Variables } from './run-operation.ts';
import type { SubscriptionStart } from './subscription.ts';

/** Parses and checks a subscription once, to start it many times. @throws GraphQLError for the first fault. */
export function readSubscription(
  executor: Executor,
  text: string,
): (variables: Variables, context: Context) => SubscriptionStart {
  const document = executor.parse(text);
  const [fault] = executor.check(document);
  if (fault !== undefined) throw fault;
  return (variables, context) => executor.subscribe(document, variables, context);
}
