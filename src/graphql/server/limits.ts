import { GraphQLError } from 'graphql';
import { maxRowBytes } from '../../backing/index.ts';
import type { ASTNode } from 'graphql';

type Limit = Readonly<{
  max: number;
  /** What is counted, in the words of `The request has 30 …; 20 are allowed`. */
  of: string;
  /** How to ask for the same within the limit. */
  hint: string;
}>;

const shorter = 'Send values as variables, and request the rest separately';

/**
 * Maximum size of a document. Everything but the cost is counted once for each new text; the cost
 * again for each request if it depends on a variable. FragmentsByName count each time they are spread.
 */
export const documentLimits = {
  batch: {
    max: 10,
    of: 'operations in a list',
    hint: 'Send the others in a second request; the connection stays open',
  },
  length: { max: 100_000, of: 'characters', hint: shorter },
  tokens: { max: 4_000, of: 'tokens', hint: shorter },
  nesting: { max: 64, of: 'brackets inside each other', hint: 'Send nested values as variables' },
  directives: { max: 50, of: 'directives', hint: 'Remove unwanted fields instead of skipping them' },
  selections: { max: 1_000, of: 'fields and fragments', hint: 'Spread a fragment in fewer places' },
  rootFields: { max: 20, of: 'fields at its root', hint: 'Request the others separately' },
  aliases: { max: 100, of: 'aliases', hint: 'Request a list instead of one field with many aliases' },
  depth: { max: 12, of: 'levels of fields', hint: 'Request deeper fields separately' },
  introspectionDepth: { max: 18, of: 'levels of introspection', hint: 'Types are wrapped nine times at most' },
  introspectionLists: { max: 2, of: 'lists inside each other in introspection', hint: 'Request types by name' },
  cost: { max: 600_000, of: 'values in its answer', hint: 'Request smaller pages or fewer fields' },
} as const satisfies Readonly<Record<string, Limit>>;

export type LimitName = keyof typeof documentLimits;

/** What the documents of a list are held against together, as one of them would be. */
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

/** How the values of an answer are estimated. */
export const costs = {
  /** The arguments that say how many elements a page has … */
  pageArguments: ['limit', 'first', 'last'],
  /** … the lists in which they are … */
  pageLists: ['results', 'edges', 'nodes'],
  /** … and how many there are where none is given and the schema names no number. */
  usualPage: 50,
  /** The argument of a list that has an element for each of its values. */
  valuesArgument: 'ids',
  /** Assumed length of a list whose length is unknown. */
  assumedLength: 10,
} as const;

/** Maximum time of one execution; a write may wait 120 seconds for its end. */
export const executionMs = { query: 60_000, mutation: 150_000 } as const;

/** Characters of the JSON of one reply, counted before it is written. Values under several names are written as often. */
export const maxReplyCharacters = maxRowBytes;

/** Characters of one result over a connection that stays open, which is written at once; longer ones belong to HTTP. */
export const maxStreamedCharacters = 2 ** 23;

/** Replies with fewer values are not measured: even with the longest texts of records they are within the limit. */
export const unmeasuredCost = 200;

/** Number of values from which a reply is large: a page of a thousand records. */
export const largeReplyCost = 1_000;

/** Large replies that are made, or wait for their readers, at the same time; one of very many values counts as several. */
export const largeReplies = {
  capacity: 9,
  perOwner: 6,
  /** Of one tenant that are made and sent at the same time while others are served too … */
  besideOthers: 1,
  /** … where one whose reader takes so long counts no more. */
  sendingMs: 250,
  valuesPerSlot: documentLimits.cost.max / 6,
  queuePerOwner: 200,
  waitMs: 20_000,
} as const;

/** Most errors that one reply lists: each of 10 000 elements can have several. The others are counted. */
export const maxErrors = 100;

/** Longest text of an error: quoted input is cut at 256 characters; hints and pointers are longer. */
export const maxTextLength = 1_000;

/** The refusal of a document that is larger than a limit. */
export function limitError(name: LimitName, actual: number, node?: ASTNode): GraphQLError {
  const { max, of, hint } = documentLimits[name];
  // Counts of fragments that spread each other double with each; no client needs the exact one.
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
