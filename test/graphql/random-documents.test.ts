import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { DocumentNode, ExecutionResult } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toClientError } from '../../src/graphql/schema/errors.ts';
import { createExecutor, LargeReplies, schema } from '../../src/graphql/index.ts';
import type { Context, Executor } from '../../src/graphql/index.ts';
import { createReferenceExecutor } from '../../src/graphql/server/reference-executor.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createDice, randomDocument } from '../support/random-documents.ts';
import type { Known, RandomDocument } from '../support/random-documents.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { runsOf } from '../support/effort.ts';

/** A failure prints the seed that repeats it. */
const numRuns = runsOf('GraphQL documents');
const timeout = 60_000 + numRuns * 200;
const tape = fc.array(fc.nat(0x7fffffff), { minLength: 20, maxLength: 400, size: 'max' });

let world: World;
let writer: Client;
let reader: Client;
let known: Known;

beforeAll(async () => {
  world = await openWorld();
  [writer, reader] = [await world.client(), await world.client()];
  const paths = await Promise.all(['one.jpg', 'two.png', 'three.webp'].map((name) => world.picture(name)));
  const images = paths.map((path, index) => ({
    id: `P-${index + 1}`,
    src_path: path,
    title: `Title ${index}`,
    date: '2024-05',
  }));
  const operationIds: number[] = [];
  for (const { write } of [reader, writer]) {
    operationIds.push(
      (await write('POST', '/imgs', images)).operation_id,
      (await write('POST', '/imgs', images)).operation_id,
    );
  }
  known = { imageIds: images.map(({ id }) => id), operationIds, paths };
});
afterAll(() => world.close());

const codeOf = (error: { extensions?: Record<string, unknown> }) => error.extensions?.['code'];

async function expectSafeAnswer(ask: RandomDocument): Promise<void> {
  const { query, variables, kind } = ask;
  const get = `/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) }).toString()}`;
  const requests = [
    ['POST', '/graphql', { query, variables }],
    ['POST', '/graphql', { query, variables }],
  ] as const;
  const all = kind === 'query' && get.length < 8_000 ? [...requests, ['GET', get, undefined] as const] : requests;
  for (const [method, path, body] of all) {
    const answer = await writer.rest(method, path, body);
    expect(answer.status).toBeLessThan(500);
    const { data, errors = [] } = answer.body as {
      data?: unknown;
      errors?: { extensions?: Record<string, unknown> }[];
    };
    expect(data !== undefined || errors.length > 0).toBe(true);
    expect(errors.map(codeOf)).toEqual(errors.map(() => expect.stringMatching(/^(?!internal$)\w+$/)));
  }
}

describe('any document that the schema suggests', () => {
  it(
    'ends in data or in errors with a code, and never in a fault of ours',
    async () => {
      const check = fc.asyncProperty(tape, (numbers) =>
        expectSafeAnswer(randomDocument(schema, createDice(numbers), known, ['query', 'mutation'])),
      );
      await fc.assert(check, { numRuns });
      // What the writes among them came to, as far as they have ended.
      const { rows } = await world.backing.database.pool.query(
        "SELECT ref, message FROM operation_error WHERE code = 'internal'",
      );
      expect(rows).toEqual([]);
    },
    timeout,
  );
});

describe('any query', () => {
  it(
    'has the same answer from the compiled executor as from the reference one',
    async () => {
      const { executor, context, logger } = await openExecutor();
      const reference = createReferenceExecutor(schema);
      await forValidDocuments(executor, 'query', async ({ query, variables, document }) => {
        const compiled = () => executor.prepare(query, document)?.execute(variables, context());
        let ours = await compiled();
        if (ours?.errors?.some((error) => codeOf(error) === 'document_too_complex')) return; // By its variables.
        const theirs = await reference.execute({ document, variableValues: variables, contextValue: context() });
        const masked = theirs.errors?.map((error) =>
          toClientError(error, { database: world.backing.database, logger }, 'r'),
        );
        // Refusals reach the audit trail a moment after they happen, which may be between the two.
        if (!isDeepStrictEqual(plain(ours?.data), plain(theirs.data))) ours = await compiled();
        expect(plain(ours?.data)).toEqual(plain(theirs.data));
        const [found, reported] = [ours?.errors ?? [], masked ?? []];
        if (theirs.data !== null) expect(faults(found)).toEqual(faults(reported));
        // The reference executor ends with the first error that leaves no data, and reports no slower ones.
        else if (rootsOf(found).some((root) => rootsOf(reported).includes(root)))
          expect(faults(found)).toEqual(expect.arrayContaining(faults(reported)));
        // Which of several root fields ends the answer is a matter of time.
        else expect([found.length, reported.length]).not.toContain(0);
      });
    },
    timeout,
  );
});

describe('any subscription', () => {
  it(
    'ends in results or in errors with a code',
    async () => {
      const { executor, context } = await openExecutor();
      await forValidDocuments(executor, 'subscription', async ({ variables, document }) => {
        const stream = await executor.subscribe(document, variables, context());
        const results = Symbol.asyncIterator in stream ? await firstOf(stream) : [stream];
        const errors = results.flatMap((result) => result.errors ?? []);
        expect(errors.map(codeOf)).toEqual(errors.map(() => expect.stringMatching(/^(?!internal$)\w+$/)));
      });
    },
    timeout,
  );
});

/** Tries random documents of a kind; at least a third of them must be valid. */
async function forValidDocuments(
  executor: Executor,
  kind: RandomDocument['kind'],
  act: (valid: RandomDocument & { document: DocumentNode }) => Promise<void>,
): Promise<void> {
  let tried = 0;
  const check = fc.asyncProperty(tape, async (numbers) => {
    const random = randomDocument(schema, createDice(numbers), known, [kind]);
    const document = validDocument(executor, random.query);
    if (document === null) return;
    tried += 1;
    await act({ ...random, document });
  });
  await fc.assert(check, { numRuns });
  expect(tried).toBeGreaterThan(numRuns / 3);
}

/** What a subscription brings within a moment, at most three results. */
async function firstOf(stream: AsyncIterableIterator<ExecutionResult>): Promise<ExecutionResult[]> {
  const results: ExecutionResult[] = [];
  for (let i = 0; i < 3; i += 1) {
    const next = await Promise.race([stream.next(), delay(20)]);
    if (next === undefined || next.done === true) break;
    results.push(next.value);
  }
  await stream.return?.();
  return results;
}

/** An executor of its own, and contexts of a caller. */
async function openExecutor() {
  const { database, notifications, queue } = world.backing;
  const logger = createLogger('silent');
  const { access } = world;
  const viewer = await access.authenticate(reader.key);
  const request = {
    method: 'POST',
    target: '/graphql',
    header: () => undefined,
    signal: new AbortController().signal,
    address: null,
    setHeader: () => {},
    whenSent: (act: () => void) => act(),
    bodyHandled: () => {},
  };
  const context = (): Context => ({
    services: { database, notifications, queue, logger, access },
    viewer,
    requestId: 'r',
    request,
  });
  return { executor: createExecutor(schema, new LargeReplies(database.activeTenants)), context, logger };
}

function validDocument(executor: Executor, text: string): DocumentNode | null {
  try {
    const document = executor.parse(text);
    return executor.check(document).length === 0 ? document : null;
  } catch {
    return null;
  }
}

/** Data as a client reads it, without the moment of the answer. */
const plain = (data: unknown): unknown =>
  data === undefined ? undefined : JSON.parse(JSON.stringify(data, (_, value) => (isNow(value) ? 'now' : value)));

/** Whether a value is a moment of the last minutes, which two answers need not share. */
const isNow = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && Date.now() - Date.parse(value) < 60_000;

type Fault = Readonly<{ path?: readonly (string | number)[] | undefined; extensions: object }>;

function faults(errors: readonly Fault[]): string[] {
  return errors.map((error) => JSON.stringify([error.path ?? null, codeOf(error as never)])).toSorted();
}

/** The root fields of errors. */
const rootsOf = (errors: readonly Fault[]) => errors.map(({ path }) => path?.[0]);
