import type { GraphQLError } from 'graphql';
import { checkOperation } from './check-operation.ts';
import type { Executor, PreparedDocument } from './executor.ts';
import { sliceForParsing } from './parsing-slice.ts';

/** The errors that prevent a document from running. */
export type RefusedDocument = Readonly<{ data?: undefined; errors: readonly Coded[] }>;

type Coded = Pick<GraphQLError, 'message' | 'extensions'> & Partial<Pick<GraphQLError, 'locations'>>;

/** Returns a document ready to run, or the errors that prevent it from running. Long ones that are new take turns. */
export async function prepare(
  executor: Executor,
  tenantId: number,
  query: string,
  operationName: string | undefined,
): Promise<PreparedDocument | RefusedDocument> {
  const known = executor.find(query, operationName);
  if (known !== undefined) return known;
  await sliceForParsing(tenantId, query.length);
  return prepareNew(executor, query, operationName);
}

function prepareNew(
  executor: Executor,
  query: string,
  operationName: string | undefined,
): PreparedDocument | RefusedDocument {
  try {
    const document = executor.parse(query);
    const errors = executor.check(document);
    if (errors.length > 0) return { errors: errors.map(coded) };
    checkOperation(document, operationName);
    const prepared = executor.prepare(query, document, operationName);
    return prepared ?? refused('The request has no query and no mutation');
  } catch (error) {
    return refusedBy(error);
  }
}

/** Refuses a document with an error that a client may see. */
export function refusedBy(error: unknown): RefusedDocument {
  return { errors: [coded(error as GraphQLError)] };
}

/** Refuses a document with a message. */
export function refused(message: string, hint?: string): RefusedDocument {
  return { errors: [{ message, extensions: { ...invalid, ...(hint !== undefined && { hint }) } }] };
}

const invalid = { code: 'invalid_argument' };

/** Removes the HTTP status of an error, which does not apply to one document among others. */
function coded({ message, locations, extensions: all }: GraphQLError): Coded {
  const { http: _, ...extensions } = all;
  return { message, locations, extensions: { ...invalid, ...extensions } };
}
