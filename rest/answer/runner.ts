import type { Document, Formulas } from '../../src/lib/http-api.ts';
import { documentWith, readDocument } from './documents.ts';
import type { Input, ServedEndpoint } from '../endpoints/endpoint.ts';
import { toReply } from './errors.ts';
import type { Reply } from '../../src/lib/http-contract.ts';

/** Answers a valid request to an endpoint through its document. */
type Runner<Context> = (endpoint: ServedEndpoint, input: Input, context: Context, requestId: string) => Promise<Reply>;

/**
 * Reads all documents at startup, but compiles each at its first request: compiling a hundred of them would slow the
 * start.
 */
export function createRunner<Context>(
  endpoints: readonly ServedEndpoint[],
  compileText: (document: string) => Document<Context>,
  formulas: Formulas,
): Runner<Context> {
  const compiled = new Map<string, Document<Context>>();

  /** The compiled document of an endpoint for a set of fields; the host bounds how many it keeps. */
  function documentOf(endpoint: ServedEndpoint, fields: readonly string[] | undefined): Document<Context> {
    if (fields === undefined || fields === endpoint.defaultFields) {
      let document = compiled.get(endpoint.document);
      if (document === undefined) compiled.set(endpoint.document, (document = compile(endpoint, fields)));
      return document;
    }
    return compile(endpoint, fields);
  }

  function compile(
    { document, recordType = 'Image' }: ServedEndpoint,
    fields: readonly string[] | undefined,
  ): Document<Context> {
    return compileText(fields === undefined ? readDocument(document) : documentWith(document, recordType, fields));
  }

  for (const { document } of endpoints) readDocument(document);

  return async (endpoint, input, context, requestId) => {
    const variables = endpoint.variables(input, formulas);
    const fields = endpoint.defaultFields && (input.values['fields'] as readonly string[]);
    const { data, errors } = await documentOf(endpoint, fields).execute(variables, context);
    const [error] = errors ?? [];
    if (error !== undefined) return toReply(error, requestId, { target: input.target, endpoint, input });
    return endpoint.reply(data ?? {}, input);
  };
}
