import { GraphQLError } from 'graphql';
import type { ExecutionResult } from 'graphql';

/**
 * The result of an execution, or after `ms` milliseconds an error in its place. What was begun goes
 * on until it ends by itself; nobody hears of its result.
 */
export function withinTime(
  running: Promise<ExecutionResult> | ExecutionResult,
  ms: number,
): Promise<ExecutionResult> | ExecutionResult {
  if (!(running instanceof Promise)) return running;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve({ data: null, errors: [timedOut(ms)] }), ms);
    running.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

function timedOut(ms: number): GraphQLError {
  const hint = 'Ask for less at a time; a write goes on and its operation can be followed';
  return new GraphQLError(`There was no result within ${ms / 1000} seconds`, {
    extensions: { code: 'timeout', max: ms, hint },
  });
}
