import { OperationTypeNode } from 'graphql';
import type { DocumentNode, GraphQLError, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { checkDocument } from './check-document.ts';
import { documentLimits } from './limits.ts';
import { parseDocument } from './parse-document.ts';

/** Limits of the cache of parsed, valid subscriptions: their number, and the characters of their texts. */
const keptLimits = { max: 100, maxSize: 200_000 } as const;

export type DocumentReader = Readonly<{
  /** @throws GraphQLError for a text that exceeds the limits or is not a document. */
  parse(text: string): DocumentNode;
  /** Returns the errors that prevent a document from running: limits, then the rules of GraphQL. */
  check(document: DocumentNode): readonly GraphQLError[];
}>;

/**
 * Parses and checks documents. Valid subscriptions are cached by text: many clients that follow the same thing send the same
 * text, and checking it takes most of the time to start it. Queries and mutations are cached in compiled form (executor.ts).
 */
export function createDocumentReader(schema: GraphQLSchema): DocumentReader {
  const kept = new LRUCache<string, DocumentNode>(keptLimits);
  return {
    parse: (text) => (text.length > documentLimits.length.max ? undefined : kept.get(text)) ?? parseDocument(text),
    check(document) {
      const text = document.loc?.source.body ?? '';
      if (kept.get(text) === document) return [];
      const faults = checkDocument(schema, document);
      if (faults.length === 0 && hasSubscription(document)) kept.set(text, document, { size: text.length + 1 });
      return faults;
    },
  };
}

function hasSubscription({ definitions }: DocumentNode): boolean {
  return definitions.some((node) => 'operation' in node && node.operation === OperationTypeNode.SUBSCRIPTION);
}
