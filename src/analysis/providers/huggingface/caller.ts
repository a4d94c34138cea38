import type { InferenceClient } from '@huggingface/inference';
import { SetupError } from '../../../lib/errors.ts';
import { FairSemaphore } from '../../../lib/fair-semaphore.ts';
import { loadOnce } from '../../../lib/load-once.ts';
import type { Proxies } from '../../../lib/proxies.ts';
import type { Costs, ModelCost } from '../provider.ts';
import { ProviderError } from '../provider.ts';
import { createBreaker } from './breaker.ts';
import type { Breaker } from './breaker.ts';
import { createFetch } from './fetch.ts';
import type { CallLimits } from './limits.ts';
import { addressOf } from './models.ts';

/** Parameters of every call of the client, besides the input. */
type Target = Readonly<{ model: string; endpointUrl?: string }>;
type ClientOptions = Readonly<{ fetch: typeof fetch; signal: AbortSignal; retry_on_error: false }>;

type Work<T> = (client: InferenceClient, target: Target, options: ClientOptions, cost: ModelCost) => Promise<T>;

/** A model and the endpoint that serves it; Hugging Face itself if there is none. */
export type CalledModel = Readonly<{
  id: string;
  task: string;
  endpoint: string | undefined;
  /** Counts a call against a budget; false if that is spent. */
  spend: () => Promise<boolean>;
}>;

/** Calls a model; every call passes the breaker, the limit of parallel calls, retries and counters. */
export type ModelCaller = Readonly<{
  /** @throws ProviderError, or the signal's reason. */
  call: <T>(model: CalledModel, signal: AbortSignal, work: Work<T>) => Promise<T>;
  costs: () => Costs;
}>;

type CallerOptions = Readonly<{
  token: string | undefined;
  proxies: Proxies;
  limits: CallLimits;
}>;

export function createModelCaller({ token, proxies, limits }: CallerOptions): ModelCaller {
  // Loaded at the first call: it accounts for 150 of the 1,900 files that would be loaded at startup, and most
  // installations never use it.
  const load = loadOnce(async () => new (await import('@huggingface/inference')).InferenceClient(token));
  // Calls of all tenants together: the budgets of tenants are counted elsewhere.
  const everyone = 0;
  const slots = new FairSemaphore({ name: 'calls of models', capacity: limits.parallel });
  const costs = new Map<string, ModelCost>();
  const breakers = new Map<string, Breaker>();

  function costOf({ id }: CalledModel): ModelCost {
    const cost = costs.get(id) ?? noCost();
    costs.set(id, cost);
    return cost;
  }

  /** A breaker for each model and endpoint: a model that fails at one may work at another. */
  function breakerOf({ id, endpoint = '' }: CalledModel): Breaker {
    const place = `${id} ${endpoint}`;
    const breaker = breakers.get(place) ?? createBreaker(limits.failuresInRow, limits.restMs);
    breakers.set(place, breaker);
    return breaker;
  }

  async function call<T>(model: CalledModel, signal: AbortSignal, work: Work<T>): Promise<T> {
    signal.throwIfAborted();
    const [breaker, cost] = [breakerOf(model), costOf(model)];
    if (!breaker.mayCall()) {
      cost.refused += 1;
      throw new ProviderError('not_available', `${model.id} has failed ${limits.failuresInRow} times in a row`);
    }
    if (!(await maySpend(model, breaker))) {
      cost.refused += 1;
      throw new ProviderError(
        'budget_spent',
        `the budget of the day for models is spent, so ${model.id} was not called`,
      );
    }
    const target = { model: model.id, ...(model.endpoint && { endpointUrl: addressOf(model.endpoint, model) }) };
    const began = performance.now();
    try {
      const send = createFetch({ limits, cost, proxies, signal });
      const options = { fetch: send, signal, retry_on_error: false } as const;
      const result = await work(await load(), target, options, cost);
      breaker.succeeded();
      return result;
    } catch (error) {
      if (signal.aborted) breaker.left();
      signal.throwIfAborted();
      cost.failures += 1;
      breaker.failed();
      throw toProviderError(error, model.id);
    } finally {
      cost.milliseconds += performance.now() - began;
    }
  }

  return {
    // A call that waits for a slot ends when its signal fires.
    call: (model, signal, work) => slots.run(everyone, () => call(model, signal, work), signal),
    costs: () => Object.fromEntries([...costs].map(([id, cost]) => [id, { ...cost }])),
  };
}

/** Whether a budget has room for a call that the breaker lets through. */
async function maySpend({ spend }: CalledModel, breaker: Breaker): Promise<boolean> {
  let may = false;
  try {
    may = await spend();
  } finally {
    if (!may) breaker.left();
  }
  return may;
}

function noCost(): ModelCost {
  return {
    requests: 0,
    retries: 0,
    failures: 0,
    refused: 0,
    milliseconds: 0,
    bytesSent: 0,
    bytesReceived: 0,
    tokensIn: 0,
    tokensOut: 0,
  };
}

/**
 * Creates our own message, because the client's errors contain the request, and with it the picture. The cause is a status
 * or a keyword.
 */
function toProviderError(error: unknown, model: string): ProviderError {
  if (error instanceof ProviderError) {
    return new ProviderError(error.code, `${model}: ${error.message}`, { cause: error.cause });
  }
  if (error instanceof SetupError) return new ProviderError('not_available', `${model}: ${error.message}`);
  const status = (error as { httpResponse?: { status?: unknown } }).httpResponse?.status;
  if (typeof status === 'number') return new ProviderError('failed', `${model} answered ${status}`, { cause: status });
  const name = (error as Error).name;
  if (name === 'ProviderOutputError') return new ProviderError('failed', `${model} returned an unexpected answer`);
  if (name === 'SyntaxError') return new ProviderError('failed', `${model} did not return JSON`);
  if (name === 'InputError' || name === 'RoutingError') {
    return new ProviderError('not_available', `${model}: ${(error as Error).message.slice(0, 200)}`);
  }
  const code = (error as { cause?: { code?: unknown } }).cause?.code;
  return new ProviderError('failed', `${model} could not be reached: ${typeof code === 'string' ? code : name}`);
}
