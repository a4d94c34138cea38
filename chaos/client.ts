import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationRecord, Picture } from './model.ts';
import type { Random } from './random.ts';
import type { Kind } from './writes.ts';

export type Answer = Readonly<{ status: number; headers: Headers; body: unknown }>;

/** Speaks to whichever API process answers, with one key. */
export type Client = Readonly<{
  /** One attempt; null when the answer is lost, be it with the API process or with the database. */
  request(method: string, path: string, body?: string): Promise<Answer | null>;
  /** Asks until it is answered. */
  get(path: string): Promise<Answer>;
  /** Every operation of the tenant. */
  operations(): Promise<OperationRecord[]>;
  /** The ids of what an operation has changed, in the order of the changes. */
  changed(operation: number): Promise<string[]>;
  /** Every record of a kind, as pairs of id and record. */
  pictures(kind: Kind): Promise<[string, Picture][]>;
}>;

type Trail = { data: { auditTrail: { results: { subject: string; operationId: string }[] } } };

const operationsPage = 200;
const picturesPage = 10_000;
const timeoutMs = 60_000;

/** Asks with one key. */
type Connection = Pick<Client, 'request' | 'get'>;

function connect(key: string, random: Random, urls: () => string[]): Connection {
  const request: Client['request'] = async (method, path, body) => {
    const list = urls();
    const url = list[random.between(0, Math.max(0, list.length - 1))];
    if (url === undefined) return null;
    try {
      const headers = { 'API-Key': key, 'Content-Type': 'application/json' };
      const signal = AbortSignal.timeout(timeoutMs);
      const answer = await fetch(url + path, { method, headers, signal, ...(body !== undefined && { body }) });
      if (answer.status >= 500) return null;
      return { status: answer.status, headers: answer.headers, body: await answer.json() };
    } catch {
      return null;
    }
  };
  const get: Client['get'] = async (path) => {
    for (;;) {
      const answer = await request('GET', path);
      if (answer?.status === 200) return answer;
      if (answer !== null) throw new Error(`GET ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      await sleep(100);
    }
  };
  return { request, get };
}

export function createClient(key: string, random: Random, urls: () => string[]): Client {
  const { request, get } = connect(key, random, urls);
  const pages = async <T>(
    path: string | ((page: number) => string),
    size: number,
    read: (body: unknown) => T[],
  ): Promise<T[]> => {
    const found: T[] = [];
    for (let page = 1; ; page += 1) {
      const address = typeof path === 'string' ? `${path}&limit=${size}&page=${page}` : path(page);
      const part = read((await get(address)).body);
      found.push(...part);
      if (part.length < size) return found;
    }
  };
  /** Which operation undoes which, as the audit trail says. */
  const undoings = async (): Promise<ReadonlyMap<number, number>> => {
    const address = (page: number) => {
      const list = `auditTrail(action: "operation.undone", limit: ${operationsPage}, page: ${page})`;
      return `/graphql?query=${encodeURIComponent(`{ ${list} { results { subject operationId } } }`)}`;
    };
    const entries = await pages(address, operationsPage, (body) => (body as Trail).data.auditTrail.results);
    return new Map(entries.map(({ operationId, subject }) => [Number(operationId), Number(subject)]));
  };
  return {
    request,
    get,
    async operations() {
      const listed = await pages('/ops?', operationsPage, (body) => body as OperationRecord[]);
      const undone = await undoings();
      return mapInOrder(listed, async (operation) => {
        const { operation_id: id } = operation;
        const undoes = undone.get(id);
        // A list has the first errors of each operation; all of them are in the operation by itself.
        const whole = operation.errors.length >= operation.num_bad ? operation : (await get(`/ops/${id}`)).body;
        return { ...(whole as OperationRecord), ...(undoes !== undefined && { undoes }) };
      });
    },
    async changed(operation) {
      const listed = await pages(`/ops/${operation}/changes?`, operationsPage, (body) => {
        return (body as { results: { ref: string; kind: string }[] }).results;
      });
      const own = listed.filter(({ kind }) => kind !== 'unchanged' && kind !== 'failed');
      return [...new Set(own.map(({ ref }) => ref))];
    },
    pictures: ({ path, id, sortBy }) =>
      pages(`${path}?fields=${id}&fields=title&fields=width&sort_by=${sortBy}&sort_order=asc`, picturesPage, (body) =>
        (body as { results: (Picture & Record<string, unknown>)[] }).results.map(
          ({ [id]: name, title, width }): [string, Picture] => [String(name), { title, width }],
        ),
      ),
  };
}

async function mapInOrder<T>(items: readonly T[], map: (item: T) => Promise<T>): Promise<T[]> {
  const mapped: T[] = [];
  for (const item of items) mapped.push(await map(item));
  return mapped;
}
