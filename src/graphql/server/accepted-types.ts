import { ReplyError } from '../../lib/http-contract.ts';
import {
  contentTypeOf,
  graphqlRefusal,
  graphqlTypeOf,
  modernType,
  olderType,
} from '../../http/reply/graphql-refusal.ts';
import type { GraphQLType } from '../../http/reply/graphql-refusal.ts';

const streamType = 'text/event-stream';

/** What a request accepts: one type of JSON, or (`type` is null) what its ranges say, a stream of events among it. */
export type AcceptedTypes = Readonly<{ type: GraphQLType | null; ranges: string }>;

/**
 * Reads `Accept` before anything is executed. Only types that are served remain: Yoga also knows `multipart/mixed`, which
 * would be chosen for a wildcard.
 *
 * @throws ReplyError 406 if none of the types is served.
 */
export function acceptedTypes(accept: string | undefined): AcceptedTypes {
  const type = graphqlTypeOf(accept);
  if (accept === undefined || !/event-stream/i.test(accept)) {
    if (type === null) throw notAcceptable('None of the types in Accept is served here');
    return { type, ranges: type };
  }
  return { type: null, ranges: accept.split(',').flatMap(served).join(', ') };
}

/** Replaces the wildcard in a media range with one of our types; empty if the range contains none of them. */
function served(range: string): string[] {
  const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
  const known = name.toLowerCase() === streamType ? streamType : graphqlTypeOf(name);
  return known === null || name === '' ? [] : [[known, ...parameters].join(';')];
}

/** 406, with the types that are served. */
export function notAcceptable(message: string): ReplyError {
  const hint = `Accept ${modernType} or ${olderType}, or ${streamType} for subscriptions`;
  const types = [contentTypeOf(modernType), contentTypeOf(olderType), streamType].join(', ');
  const refusal = graphqlRefusal({ message, extensions: { code: 'not_acceptable', hint } });
  return new ReplyError({ ...refusal, headers: { Accept: types } });
}
