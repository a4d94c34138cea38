import { GraphQLError } from 'graphql';
import type { ExecutionResult } from 'graphql';

type Running = Promise<ExecutionResult> | ExecutionResult;
type Deadline = { readonly second: number; expire: (() => void) | null };

/**
 * Limits the time of executions: returns the result of each, or an error once `ms` milliseconds and at most one more
 * second have passed. Work that has started runs to its end; its result is dropped.
 *
 * A single timer checks all of them once a second, since a timer for each would cost as much as the rest of a short
 * execution outside the database.
 */
export function createDeadlines(): (running: Running, ms: number) => Running {
  const deadlines = new Set<Deadline>();
  let second = 0;
  let timer: NodeJS.Timeout | undefined;

  const start = () => setTimeout(sweep, 1000).unref();

  function sweep(): void {
    second += 1;
    for (const deadline of deadlines) {
      if (deadline.second > second) continue;
      deadlines.delete(deadline);
      deadline.expire?.();
    }
    timer = deadlines.size === 0 ? undefined : start();
  }

  /** Clears `expire`, too: a set keeps removed entries for a while, and with them the whole result. */
  function forget(deadline: Deadline): void {
    deadlines.delete(deadline);
    deadline.expire = null;
  }

  return (running, ms) => {
    if (!(running instanceof Promise)) return running;
    return new Promise((resolve, reject) => {
      const deadline: Deadline = { second: second + ms / 1000 + 1, expire: () => resolve(timedOut(ms)) };
      deadlines.add(deadline);
      timer ??= start();
      running.then(
        (result) => {
          forget(deadline);
          resolve(result);
        },
        (error: unknown) => {
          forget(deadline);
          reject(error);
        },
      );
    });
  };
}

function timedOut(ms: number): ExecutionResult {
  const hint = 'Request less at a time; a write continues, and you can follow its operation';
  const extensions = { code: 'timeout', max: ms, hint };
  return { data: null, errors: [new GraphQLError(`Timed out after ${ms / 1000} seconds`, { extensions })] };
}
