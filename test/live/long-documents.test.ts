import type { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createExecutor, LargeReplies, schema } from '../../src/graphql/index.ts';
import type { Context } from '../../src/graphql/index.ts';
import { ActiveTenants } from '../../src/lib/active-tenants.ts';
import { createRunDocument } from '../../src/live/run-document.ts';
import type { Viewer } from '../../src/tenants/index.ts';
import { endedFirst } from '../support/first-iteration.ts';

const documents = createRunDocument({
  executor: createExecutor(schema, new LargeReplies(new ActiveTenants())),
  authenticate: () => Promise.resolve({ tenantId: 1 } as Viewer),
  createContext: () => ({}) as Context,
  explain: (error) => error as GraphQLError,
});
const sender = { key: 'vt_1', requestId: '1', signal: new AbortController().signal, address: null, whenSent: () => {} };

describe('subscriptions that begin at once over connections that stay open', () => {
  it.each([
    { are: 'are parsed in one iteration of the event loop each, if their documents are long', aliases: 40, most: 2 },
    { are: 'are not delayed, if their documents are short', aliases: 1, most: 10, least: 10 },
  ])('$are', async ({ aliases, most, least = 0 }) => {
    const query = (number: number) =>
      `subscription S${number} { operationProgress(id: "1") { ${Array.from({ length: aliases }, (_, n) => `value_of_the_total_${n}: numTotal`).join(' ')} } }`;
    const first = await endedFirst(10, async (number) => {
      expect(await documents.prepare({ query: query(number) }, sender)).toHaveProperty('document');
    });
    expect(first).toBeLessThanOrEqual(most);
    expect(first).toBeGreaterThanOrEqual(least);
  });
});
