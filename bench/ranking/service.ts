import { setTimeout as delay } from 'node:timers/promises';
import type { Ranking } from './measures.ts';

export type Client = Readonly<{ url: string; key: string }>;

/** Rows per page; more than the bench has pictures. */
const pageRows = 1000;

async function ask<T>({ url, key }: Client, path: string, init: RequestInit = {}): Promise<T> {
  const answer = await fetch(`${url}${path}`, {
    ...init,
    headers: { 'API-Key': key, 'Content-Type': 'application/json' },
  });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Stores pictures as records with these ids, and waits until all are analyzed. */
export async function importPictures(client: Client, files: ReadonlyMap<string, string>): Promise<void> {
  const elements = [...files].map(([id, file]) => ({ id, src_path: file }));
  const body = JSON.stringify(elements);
  const { operation_id: id } = await ask<{ operation_id: number }>(client, '/imgs', { method: 'POST', body });
  for (;;) {
    const operation = await ask<{ is_finished: boolean; num_bad: number }>(client, `/ops/${id}`);
    if (operation.num_bad > 0) throw new Error(`${operation.num_bad} pictures were refused`);
    if (operation.is_finished) return;
    await delay(1000);
  }
}

/** The results of the service for `i~ID`, most similar first. */
export async function rankByService(client: Client, id: string): Promise<Ranking> {
  const query = new URLSearchParams({
    q: `i~id:"${id}"`,
    sort_by: 'similarity',
    limit: String(pageRows),
    fields: 'image_id',
  });
  const { results } = await ask<{ results: readonly { image_id: string }[] }>(client, `/imgs?${query}`);
  return results.map(({ image_id: name }) => name);
}
