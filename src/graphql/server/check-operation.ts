import { getOperationAST, GraphQLError } from 'graphql';
import type { DocumentNode } from 'graphql';

/** The error of a request that names none of the operations of its document, or no name where there are several. */
export function noOperation(): GraphQLError {
  const hint = 'Name one of its operations as operationName';
  return new GraphQLError('Cannot tell which operation of the document to run', {
    extensions: { code: 'invalid_argument', hint },
  });
}

/** Checks that a document has the operation of a request. @throws GraphQLError `invalid_argument` */
export function checkOperation(document: DocumentNode, operationName: string | undefined): void {
  if (getOperationAST(document, operationName) === null) throw noOperation();
}
