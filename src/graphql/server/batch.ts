import type { ExecutionResult } from 'graphql';
import type { Context } from '../schema/context.ts';
import { withinLength } from '../schema/errors.ts';
import type { Executor, PreparedDocument } from './executor.ts';
import type { Variables } from './run-operation.ts';
import { executionMs, documentLimits, limitError, maxErrors, maxReplyCharacters, sharedLimits } from './limits.ts';
import type { DocumentSize } from './limits.ts';
import type { PersistedDocuments } from './persisted-documents.ts';
import { prepare, refused, refusedBy } from './prepare.ts';
import type { RefusedDocument } from './prepare.ts';
import { graphqlRefusal } from '../../http/reply/graphql-refusal.ts';
import { isObject } from '../../lib/is-object.ts';
import { jsonLengthOf } from '../../lib/json-pieces.ts';
import { ReplyError } from '../../lib/http-contract.ts';

type Ready = Readonly<{ prepared: PreparedDocument; variables: Variables }>;

/** The operations of a list, each ready to run or with the error that prevents it. */
type OperationBatch = readonly (Ready | RefusedDocument)[];

type Size = { -readonly [Name in keyof DocumentSize]: number };

/**
 * Reads a list of operations, as sent by clients that combine concurrent queries. The limits of one document apply to all of
 * them together.
 *
 * @throws ReplyError 400 for an empty list, too many operations, or one that exceeds a limit.
 */
export async function prepareBatch(
  list: readonly unknown[],
  tenantId: number,
  { executor, persisted }: Readonly<{ executor: Executor; persisted: PersistedDocuments }>,
): Promise<OperationBatch> {
  if (list.length === 0) throw new ReplyError(graphqlRefusal(emptyList));
  checkSum('batch', list.length);
  const sum: Size = { length: 0, tokens: 0, directives: 0, selections: 0, rootFields: 0, aliases: 0 };
  const prepareOne = async (each: unknown): Promise<Ready | RefusedDocument> => {
    const read = readOperation(each, tenantId, persisted);
    if ('errors' in read) return read;
    const { query, operationName, variables } = read;
    // Checked before parsing: operations that cannot run take time, too.
    checkSum('length', (sum.length += query.length));
    const prepared = await prepare(executor, tenantId, query, operationName);
    if ('errors' in prepared) return prepared;
    for (const name of sharedLimits) if (name !== 'length') checkSum(name, (sum[name] += prepared.size[name]));
    return { prepared, variables };
  };
  const batch: (Ready | RefusedDocument)[] = [];
  for (const each of list) batch.push(await prepareOne(each));
  checkSum('cost', costOf(batch));
  return batch;
}

const emptyList = {
  message: 'The list of operations is empty',
  extensions: { code: 'invalid_argument', hint: 'Send {"query": …}, or a list of them' },
};

function costOf(batch: OperationBatch): number {
  return batch.reduce((sum, each) => ('errors' in each ? sum : sum + each.prepared.costOf(each.variables)), 0);
}

function checkSum(name: keyof typeof documentLimits, actual: number): void {
  if (actual > documentLimits[name].max) throw new ReplyError(graphqlRefusal(limitError(name, actual)));
}

type Operation = Readonly<{ query: string; operationName: string | undefined; variables: Variables }>;

function readOperation(value: unknown, tenantId: number, persisted: PersistedDocuments): Operation | RefusedDocument {
  if (!isObject(value)) return refused('An operation is an object', 'Send {"query": …} for each');
  const { query: sent, operationName, variables, extensions } = value;
  if (!isTextOrAbsent(sent)) return refused('query is not a string');
  if (!isTextOrAbsent(operationName)) return refused('operationName is not a string');
  if (variables !== undefined && variables !== null && !isObject(variables))
    return refused('variables is not an object');
  try {
    const query = persisted.resolve({ tenantId, query: sent ?? undefined, extensions });
    if (query === undefined) return refused('query is missing', 'Send {"query": …} for each');
    return { query, operationName: operationName ?? undefined, variables: variables ?? {} };
  } catch (error) {
    return refusedBy(error);
  }
}

const isTextOrAbsent = (value: unknown): value is string | null | undefined =>
  value === undefined || value === null || typeof value === 'string';

/**
 * Runs the operations of a list one after the other. They share the limits of a single request: the length of its
 * reply, its list of errors, and its time.
 */
export async function runBatch(
  batch: OperationBatch,
  createContext: () => Context,
): Promise<readonly (ExecutionResult | RefusedDocument)[]> {
  const results: (ExecutionResult | RefusedDocument)[] = [];
  const kinds = batch.flatMap((each) => ('errors' in each ? [] : [executionMs[each.prepared.kind]]));
  const end = performance.now() + Math.max(0, ...kinds);
  const values = costOf(batch);
  let characters: number = maxReplyCharacters;
  let listed: number = maxErrors;
  for (const [place, each] of batch.entries()) {
    // The idempotency key in the header is combined with the position of the document.
    const contextOf = () => (place === 0 ? createContext() : { ...createContext(), laterWrite: String(place) });
    const result = 'errors' in each ? each : await run(each, contextOf, { end, values });
    const short = withFewerErrors(
      'errors' in each ? result : withinLength(result as ExecutionResult, characters),
      listed,
    );
    characters -= short.data === undefined || short.data === null ? 0 : jsonLengthOf(short.data);
    listed -= short.errors?.length ?? 0;
    results.push(short);
  }
  return results;
}

/** Each operation has a separate context: what one has read must not answer another that comes after a write. */
async function run(
  { prepared, variables }: Ready,
  createContext: () => Context,
  { end, values }: Readonly<{ end: number; values: number }>,
): Promise<ExecutionResult | RefusedDocument> {
  const seconds = Math.ceil((end - performance.now()) / 1000);
  if (seconds <= 0) return { errors: [{ message: 'The operations before it took too long', extensions: overdue }] };
  return prepared.execute(variables, createContext(), { ms: seconds * 1000, values });
}

const overdue = { code: 'timeout', hint: 'Send fewer operations, or one at a time' };

/** Returns a result with its first errors, but at least one: without any, it would look successful. */
function withFewerErrors<R extends ExecutionResult | RefusedDocument>(result: R, most: number): R {
  const { errors } = result;
  const kept = Math.max(most, 1);
  if (errors === undefined || errors.length <= kept) return result;
  const { errorsNotListed = 0 } = ('extensions' in result ? result.extensions : undefined) ?? {};
  const extensions = { errorsNotListed: Number(errorsNotListed) + errors.length - kept };
  return { ...result, errors: errors.slice(0, kept), extensions };
}
