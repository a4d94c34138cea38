import { ApiError } from '../api/graphql.ts';
import { WriteImage, WriteVideo } from '../api/documents.ts';
import type { Language, WriteImageMutation, WriteImageMutationVariables } from '../api/documents.ts';
import type { Waiter } from '../api/patiently.ts';
import { writeOnce } from '../api/write-once.ts';
import { t } from '../i18n/index.svelte.ts';
import { elementProblem, problemText } from '../i18n/problem-of.ts';

/** Values to write to one record, if it still has this version. */
export type RecordWrite = Readonly<{
  kind: 'image' | 'video';
  id: string;
  values: Readonly<Record<string, unknown>>;
  lang?: Language;
  version: string;
}>;

/**
 * The outcome of a write: its operation, which may still be running; that another write came first; or why it was
 * refused.
 */
export type Outcome =
  | Readonly<{ kind: 'written'; operation: number; isFinished: boolean }>
  | Readonly<{ kind: 'overtaken' }>
  | Readonly<{ kind: 'refused'; message: string }>;

/**
 * Writes one record. While the service is away, the write is sent again, but done only once.
 *
 * @throws the reason of the waiter's signal
 */
export async function writeRecord(write: RecordWrite, waiter: Waiter): Promise<Outcome> {
  const { kind, id, values, lang, version } = write;
  const variables = { record: { id, ...values }, lang: lang ?? null, ifMatch: version };
  const document = (kind === 'video' ? WriteVideo : WriteImage) as typeof WriteImage;
  try {
    return outcomeOf((await writeOnce(document, variables as WriteImageMutationVariables, waiter)).result);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'precondition_failed') return { kind: 'overtaken' };
    return { kind: 'refused', message: problemText(error) };
  }
}

function outcomeOf(result: WriteImageMutation['result']): Outcome {
  if ('operationId' in result) return { kind: 'written', operation: result.operationId, isFinished: false };
  const { id, numGood, errors } = result;
  if (numGood > 0) return { kind: 'written', operation: id, isFinished: true };
  const [error] = errors;
  if (error?.code === 'precondition_failed') return { kind: 'overtaken' };
  return { kind: 'refused', message: elementProblem(error?.code) ?? error?.message ?? t().failedTitle };
}
