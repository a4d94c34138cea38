import { GraphQLError } from 'graphql';
import { maxRowBytes } from '../../backing/index.ts';
import type { ASTNode } from 'graphql';

type Limit = Readonly<{
  max: number;
  /** What is counted, as worded in `The request has 30 …; 20 are allowed`. */
  of: string;
  /** How to request the same within the limit. */
  hint: string;
}>;

const shorter = 'Send values as variables, and request the rest separately';

/**
 * Maximum size of a document. Everything but the cost is counted once for each new text; the cost is computed for each
 * request if it depends on a variable. Fragments count each time they are spread.
 */
export const documentLimits = {
  batch: {
    max: 10,
    of: 'operations in a list',
    hint: 'Send the others in a second request; the connection stays open',
  },
  length: { max: 100_000, of: 'characters', hint: shorter },
  tokens: { max: 4_000, of: 'tokens', hint: shorter },
  nesting: { max: 64, of: 'nested brackets', hint: 'Send nested values as variables' },
  directives: { max: 50, of: 'directives', hint: 'Remove unwanted fields instead of skipping them' },
  selections: { max: 1_000, of: 'fields and fragments', hint: 'Spread a fragment in fewer places' },
  rootFields: { max: 20, of: 'root fields', hint: 'Request the others separately' },
  aliases: { max: 100, of: 'aliases', hint: 'Request a list instead of one field with many aliases' },
  depth: { max: 12, of: 'levels of fields', hint: 'Request deeper fields separately' },
  introspectionDepth: { max: 18, of: 'levels of introspection', hint: 'Types are wrapped nine times at most' },
  introspectionLists: { max: 2, of: 'nested lists in introspection', hint: 'Request types by name' },
  cost: { max: 600_000, of: 'values in its reply', hint: 'Request smaller pages or fewer fields' },
} as const satisfies Readonly<Record<string, Limit>>;

export type LimitName = keyof typeof documentLimits;

/** The limits that apply to the documents of a list together, as they apply to a single one. */
export const sharedLimits = [
  'length',
  'tokens',
  'directives',
  'selections',
  'rootFields',
  'aliases',
] as const satisfies readonly LimitName[];

/** The size of a document, by the measures that documents of a batch share. */
export type DocumentSize = Readonly<Record<(typeof sharedLimits)[number], number>>;

/** Maximum number of elements of a list that is a variable: as many as an export names records. */
export const maxListLength = 100_000;

/** How the values of an answer are estimated. */
export const costs = {
  /** The arguments that set the number of elements of a page. */
  pageArguments: ['limit', 'first', 'last'],
  /** The lists that contain these elements. */
  pageLists: ['results', 'edges', 'nodes'],
  /** The number of elements if none is given and the schema has no default. */
  usualPage: 50,
  /** The argument of a list that has one element for each value of the argument. */
  valuesArgument: 'ids',
  /** Assumed length of a list whose length is unknown. */
  assumedLength: 10,
} as const;

/** Maximum milliseconds of one execution; a write may wait 120 seconds for its operation to finish. */
export const executionMs = { query: 60_000, mutation: 150_000 } as const;

/**
 * Maximum number of characters in the JSON of one reply, counted before it is written. A value under several names is
 * written, and counted, that many times.
 */
export const maxReplyCharacters = maxRowBytes;

/**
 * Maximum number of characters of one result over a connection that stays open, which is written at once; longer results
 * require HTTP.
 */
export const maxStreamedCharacters = 2 ** 23;

/**
 * Replies with at most this many values are not measured: even with the longest texts of records they are within the limit.
 */
export const unmeasuredCost = 200;

/** Replies with more values than this are large: a page of a thousand records has more. */
export const largeReplyCost = 1_000;

/**
 * Limits on large replies that are being built, or are waiting for their readers, at the same time; one with very
 * many values counts as several.
 */
export const largeReplies = {
  capacity: 9,
  perOwner: 6,
  /** Replies of one tenant that are built and sent at the same time while others are served, too. */
  besideOthers: 1,
  /** Milliseconds after which a reply with a slow reader no longer counts. */
  sendingMs: 250,
  valuesPerSlot: documentLimits.cost.max / 6,
  queuePerOwner: 200,
  waitMs: 20_000,
} as const;

/** Maximum number of errors that one reply lists: each of 10 000 elements can have several. The others are counted. */
export const maxErrors = 100;

/** Maximum length of an error text: quoted input is cut at 256 characters; hints and pointers are longer. */
export const maxTextLength = 1_000;

/** Returns the error for a document that exceeds a limit. */
export function limitError(name: LimitName, actual: number, node?: ASTNode): GraphQLError {
  const { max, of, hint } = documentLimits[name];
  // If fragments spread each other, the count can double with each one; no client needs the exact number.
  const shown = Math.min(actual, Number.MAX_SAFE_INTEGER);
  return new GraphQLError(`The request has ${shown} ${of}; ${max} are allowed`, {
    nodes: node,
    extensions: { code: 'document_too_complex', limit: name, actual: shown, max, hint },
  });
}

/** @throws GraphQLError if `actual` exceeds the limit. */
export function checkDocumentLimit(name: LimitName, actual: number, node?: ASTNode): void {
  if (actual > documentLimits[name].max) throw limitError(name, actual, node);
}
