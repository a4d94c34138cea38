import { GraphQLError, Kind, NoFragmentCyclesRule, validate } from 'graphql';
import type { DocumentNode, FragmentDefinitionNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { isBeyondCompiler } from './beyond-compiler.ts';
import { costOf } from './cost.ts';
import type { Amount } from './cost.ts';
import { withCode } from '../schema/errors.ts';
import { checkDocumentLimit } from './limits.ts';
import { checkShape } from './measure-document.ts';
import type { FragmentsByName, DocumentShape } from './measure-document.ts';
import { conditionsOnRoot } from './subscription-root.ts';

/**
 * Returns the errors that prevent a document from running, whatever its variables. Limits come first, because the rules of
 * GraphQL compare every field with every other one of its name.
 */
export function checkDocument(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  const circles = circlesIn(schema, document);
  if (circles.length > 0) return circles.map(invalid);
  const fragments = fragmentsOf(document);
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  try {
    for (const definition of operations) {
      checkShape(definition, fragments);
      const cost = costOf(schema, definition, fragments);
      if (typeof cost === 'number') checkDocumentLimit('cost', cost, definition);
    }
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
  const conditional = operations.flatMap((operation) => conditionsOnRoot(operation, fragments));
  return (conditional.length > 0 ? conditional : validate(schema, document)).map(invalid);
}

/**
 * Finds cycles among fragments. Only fragments can spread each other, and walking through all the rest as well would
 * cost as much as every other check.
 */
function circlesIn(schema: GraphQLSchema, { kind, definitions }: DocumentNode): readonly GraphQLError[] {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  if (fragments.length === 0) return [];
  return validate(schema, { kind, definitions: fragments }, [NoFragmentCyclesRule]);
}

/** Gives validation errors the same code, no matter how the document arrives. */
function invalid(error: GraphQLError): GraphQLError {
  return withCode(error, 'GRAPHQL_VALIDATION_FAILED');
}

/** What must be known about a valid operation before it runs. */
export type Weight = Readonly<{
  /** The cost of its answer if that depends on variables; otherwise null. */
  openCost: Exclude<Amount, number> | null;
  /** The cost if it is fixed; 0 if it depends on variables. */
  cost: number;
  shape: DocumentShape;
  isBeyondCompiler: boolean;
}>;

export function weigh(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Weight {
  const fragments = fragmentsOf(document);
  const cost = costOf(schema, operation, fragments);
  return {
    openCost: typeof cost === 'number' ? null : cost,
    cost: typeof cost === 'number' ? cost : 0,
    shape: checkShape(operation, fragments),
    isBeyondCompiler: isBeyondCompiler(schema, operation, fragments),
  };
}

function fragmentsOf({ definitions }: DocumentNode): FragmentsByName {
  const fragments = definitions.filter(
    (node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION,
  );
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}
