import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import { AppError } from '../../lib/errors.ts';
import type { RateClass } from '../../config/rates.ts';
import { rateClassOf, scopes } from '../../tenants/index.ts';
import type { Scope, Viewer } from '../../tenants/index.ts';
import type { Context } from './context.ts';
import { withLaterWrite } from './operations/idempotency.ts';

type Resolver = GraphQLFieldResolver<unknown, Context>;

/**
 * Checks that every root field of the schema requires a scope, and counts its calls if the caller's key has a rate limit.
 * Each field of a document is one call.
 *
 * @throws Error for a field without a scope, so that no such schema is ever served.
 */
export function guardRootFields(schema: GraphQLSchema): GraphQLSchema {
  const mutation = schema.getMutationType();
  for (const type of [schema.getQueryType(), mutation, schema.getSubscriptionType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const scope = scopeOfField(field.extensions);
      if (scope === null) throw new Error(`${type?.name}.${field.name} asks for no scope: give it authScopes`);
      const rateClass = rateClassOf(scope, type === mutation);
      const { resolve, subscribe } = field as { resolve?: Resolver; subscribe?: Resolver };
      if (subscribe !== undefined) field.subscribe = counted(subscribe, rateClass);
      else if (resolve !== undefined) field.resolve = counted(type === mutation ? named(resolve) : resolve, rateClass);
    }
  }
  return schema;
}

/** Returns the scope that a field was declared with, or null. */
export function scopeOfField(extensions: Readonly<Record<string, unknown>>): Scope | null {
  const options = extensions['pothosOptions'] as { authScopes?: { scope?: unknown } } | undefined;
  return scopes.find((name) => name === options?.authScopes?.scope) ?? null;
}

/** Lets a mutation know whether others precede it in its document. */
function named(resolve: Resolver): Resolver {
  return (root, args, context, info) => resolve(root, args, withLaterWrite(context, info), info);
}

function counted(resolve: Resolver, rateClass: RateClass): Resolver {
  return (root, args, context, info) => {
    const { viewer } = context;
    if (viewer === null || viewer.rates === null) return resolve(root, args, context, info);
    return admitCall(context, viewer, rateClass).then(() => resolve(root, args, context, info));
  };
}

/** Requests with a refused call: of several, only the first says when to retry, because the header occurs once. */
const refused = new WeakSet<Context['request']>();

/** Counts a call. @throws AppError `rate_limited` when the key is over the limit of this class. */
export async function admitCall(
  { services, request, requestId }: Context,
  viewer: Viewer,
  rateClass: RateClass,
): Promise<void> {
  const { limiter, journal } = services.access;
  const outcome = await limiter.take(viewer, rateClass);
  if (outcome === null) return;
  const { rate, isRefused, remaining, resetSeconds } = outcome;
  request.setHeader('RateLimit-Policy', `"${rateClass}";q=${rate.requests};w=${rate.seconds}`);
  request.setHeader('RateLimit', `"${rateClass}";r=${remaining};t=${resetSeconds}`);
  if (!isRefused) return;
  if (!refused.has(request)) request.setHeader('Retry-After', String(resetSeconds));
  refused.add(request);
  journal.refuse(viewer, 'access.rate_limited', rateClass, { id: requestId, address: request.address });
  const message = `More than ${rate.requests} requests of class '${rateClass}' in ${rate.seconds} s`;
  throw new AppError('rate_limited', message, { class: rateClass, retryAfter: resetSeconds });
}
