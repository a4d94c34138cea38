import { ApiError, graphql } from '../api/graphql.ts';
import { WriteImage, WriteVideo } from '../api/documents.ts';
import type { Language, WriteImageMutation, WriteImageMutationVariables } from '../api/documents.ts';
import { t } from '../i18n/index.svelte.ts';

/** Values of one record to write, if it is still of a version. */
export type RecordWrite = Readonly<{
  kind: 'image' | 'video';
  id: string;
  values: Readonly<Record<string, unknown>>;
  lang?: Language;
  version: string;
}>;

/** What became of a write: its operation, which may still run; another write came first; or why it was refused. */
export type Outcome =
  | Readonly<{ kind: 'written'; operation: number; isFinished: boolean }>
  | Readonly<{ kind: 'overtaken' }>
  | Readonly<{ kind: 'refused'; message: string }>;

const pauseMs = 1000;

/**
 * Writes one record. While the service is away it is sent again, under one key, so that it is written once.
 *
 * @param onAway is called when the service does not answer
 */
export async function writeRecord(write: RecordWrite, onAway: () => void, signal: AbortSignal): Promise<Outcome> {
  const { kind, id, values, lang, version } = write;
  const record = { id, ...values };
  const variables = { record, lang: lang ?? null, ifMatch: version, idempotencyKey: newKey() };
  const document = (kind === 'video' ? WriteVideo : WriteImage) as typeof WriteImage;
  for (;;) {
    try {
      return outcomeOf((await graphql(document, variables as WriteImageMutationVariables, signal)).result);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'precondition_failed') return { kind: 'overtaken' };
      if (!isAway(error)) return { kind: 'refused', message: [error.message, error.hint].filter(Boolean).join('. ') };
      onAway();
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      signal.throwIfAborted();
    }
  }
}

/** Whether a service that is back would answer. */
function isAway({ status, code }: ApiError): boolean {
  return [0, 502, 503, 504].includes(status) || ['unavailable', 'idempotency_key_in_use'].includes(code);
}

function outcomeOf(result: WriteImageMutation['result']): Outcome {
  if ('operationId' in result) return { kind: 'written', operation: result.operationId, isFinished: false };
  const { id, numGood, errors } = result;
  if (numGood > 0) return { kind: 'written', operation: id, isFinished: true };
  const [error] = errors;
  if (error?.code === 'precondition_failed') return { kind: 'overtaken' };
  return { kind: 'refused', message: error?.message ?? t().failedTitle };
}

/** `crypto.randomUUID` is there only over HTTPS. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
