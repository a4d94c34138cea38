import { OperationTypeNode } from 'graphql';
import type { DocumentNode, GraphQLError, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { checkDocument } from './check-document.ts';
import { documentLimits } from './limits.ts';
import { parseDocument } from './parse-document.ts';

/** Valid subscriptions that are kept parsed, by number and by the characters of their texts. */
const keptLimits = { max: 100, maxSize: 200_000 } as const;

export type DocumentReader = Readonly<{
  /** @throws GraphQLError for a text that is beyond the limits or no document. */
  parse(text: string): DocumentNode;
  /** What keeps a document from running: limits, then the rules of GraphQL. */
  check(document: DocumentNode): readonly GraphQLError[];
}>;

/**
 * Parses and checks documents. Valid subscriptions are kept by text: many clients that follow the same thing send the
 * same one, and checking it takes most of the time to begin it. Queries and mutations are kept compiled (executor.ts).
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
