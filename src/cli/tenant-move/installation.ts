import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { SetupError } from '../../lib/errors.ts';
import { isWebUrl, plainUrl } from '../../lib/plain-url.ts';
import { readUpTo } from '../../lib/read-up-to.ts';
import { readKeyFile } from '../key-file.ts';

/** An installation that is used through its public API. */
export type Installation = Readonly<{
  /**
   * Executes a document and returns its data, checked against the schema.
   *
   * @throws SetupError if that still fails after some retries
   */
  ask<T>(document: string, variables: Readonly<Record<string, unknown>>, schema: z.ZodType<T>): Promise<T>;
  url: string;
}>;

/** A request may wait two minutes for an operation. */
const answerMs = 180_000;
/** Pauses between retries; an installation that restarts is usually back within them. */
const pausesMs = [500, 2_000, 5_000, 15_000, 30_000] as const;
const mostBytes = 256 * 2 ** 20;

/** Statuses of failures that may be temporary. */
const passing = new Set([429, 500, 502, 503, 504]);

/** @throws SetupError for an invalid address, and for a key that cannot be read */
export async function openInstallation(address: string, keyFile: string): Promise<Installation> {
  if (!isWebUrl(address)) {
    throw new SetupError(`${address} is not the address of an installation, such as https://vitrine.example.com`);
  }
  const key = await readKeyFile(keyFile);
  const url = plainUrl(address);
  return {
    url,
    async ask(document, variables, schema) {
      const body = JSON.stringify({ query: document, variables });
      const content = await answerOf(url, key, body);
      const { success, data, error } = z.object({ data: schema }).safeParse(content);
      if (success) return data.data;
      const said = faultIn(content);
      const [issue] = error.issues;
      throw new SetupError(`${url}: ${said ?? `an unexpected answer: ${issue?.path.join('.')}: ${issue?.message}`}`);
    },
  };
}

/** Retries temporary failures. Every request may be repeated: records that exist already are not created again. */
async function answerOf(url: string, key: string, body: string): Promise<unknown> {
  for (const pause of [...pausesMs, null]) {
    const answer = await attempt(url, key, body);
    if ('content' in answer) return answer.content;
    if (pause === null || !answer.isPassing) throw new SetupError(`${url} ${answer.fault}`);
    await sleep(pause);
  }
  throw new SetupError(`${url} does not answer`);
}

type Attempt = Readonly<{ content: unknown }> | Readonly<{ fault: string; isPassing: boolean }>;

/** Redirects are refused, so that the key is sent to no other address. */
async function attempt(url: string, key: string, body: string): Promise<Attempt> {
  try {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'API-Key': key },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(answerMs),
    });
    const text = await textOf(response);
    if (response.ok) return { content: JSON.parse(text) as unknown };
    const said = faultIn(parsed(text));
    return {
      fault: `answered ${response.status}${said === null ? '' : `: ${said}`}`,
      isPassing: passing.has(response.status),
    };
  } catch (error) {
    const { message, cause } = error as Error;
    return { fault: `does not answer: ${cause instanceof Error ? cause.message : message}`, isPassing: true };
  }
}

async function textOf({ body }: Response): Promise<string> {
  const pieces = (body ?? []) as AsyncIterable<Uint8Array>;
  const tooMany = () => new SetupError(`The answer is larger than ${mostBytes / 2 ** 20} MiB`);
  return (await readUpTo(pieces, mostBytes, tooMany)).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const faults = z.object({ errors: z.array(z.object({ message: z.string() })).min(1) });

/** The error message of an answer. */
function faultIn(content: unknown): string | null {
  const { data } = faults.safeParse(content);
  return data?.errors[0]?.message ?? null;
}
