import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationRecord, Picture } from './model.ts';
import type { Random } from './random.ts';

export type Answer = Readonly<{ status: number; headers: Headers; body: unknown }>;

/** Speaks to whichever API process answers, with one key. */
export type Client = Readonly<{
  /** One attempt; null when the answer is lost, be it with the API process or with the database. */
  request(method: string, path: string, body?: string): Promise<Answer | null>;
  /** Asks until it is answered. */
  get(path: string): Promise<Answer>;
  /** Every operation of the tenant. */
  operations(): Promise<OperationRecord[]>;
  /** Every record of the tenant, as pairs of id and record. */
  pictures(): Promise<[string, Picture][]>;
}>;

const operationsPage = 200;
const picturesPage = 10_000;
const timeoutMs = 60_000;

export function createClient(key: string, random: Random, urls: () => string[]): Client {
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
  const pages = async <T>(path: string, size: number, read: (body: unknown) => T[]): Promise<T[]> => {
    const found: T[] = [];
    for (let page = 1; ; page += 1) {
      const part = read((await get(`${path}&limit=${size}&page=${page}`)).body);
      found.push(...part);
      if (part.length < size) return found;
    }
  };
  return {
    request,
    get,
    async operations() {
      const listed = await pages('/ops?', operationsPage, (body) => body as OperationRecord[]);
      return mapInOrder(listed, async (operation) => {
        // A list has the first errors of each operation; all of them are in the operation by itself.
        if (operation.errors.length >= operation.num_bad) return operation;
        return (await get(`/ops/${operation.operation_id}`)).body as OperationRecord;
      });
    },
    pictures: () =>
      pages('/imgs?fields=image_id&fields=title&fields=width&sort_by=image_id&sort_order=asc', picturesPage, (body) =>
        (body as { results: (Picture & { image_id: string })[] }).results.map(
          ({ image_id: id, title, width }): [string, Picture] => [id, { title, width }],
        ),
      ),
  };
}

async function mapInOrder<T>(items: readonly T[], map: (item: T) => Promise<T>): Promise<T[]> {
  const mapped: T[] = [];
  for (const item of items) mapped.push(await map(item));
  return mapped;
}
