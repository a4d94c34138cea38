import type { WriteElement } from '../../../src/catalog/check-element.ts';
import type { ImportBatch } from '../../../src/tables/batches.ts';
import { ImportFailures, ImportImages, ImportVideos } from '../api/documents.ts';
import type { ImageInput, ImportFailuresQuery, OnDuplicate, VideoInput } from '../api/documents.ts';
import { graphql } from '../api/graphql.ts';
import type { Waiter } from '../api/patiently.ts';
import { writeOnce } from '../api/write-once.ts';

export type BatchOptions = Waiter & Readonly<{ dryRun: boolean; onDuplicate: OnDuplicate | null; key?: string }>;

export type Failure = NonNullable<ImportFailuresQuery['operation']>['errors'][number];

/** Sends records to be stored, only once under their key. @returns the number of the operation */
export async function writeBatch(
  { resource, elements, lang }: Omit<ImportBatch, 'places'>,
  { dryRun, onDuplicate, ...once }: BatchOptions,
): Promise<number> {
  const { result } =
    resource === 'image'
      ? await writeOnce(ImportImages, { images: elements.map(toInput<ImageInput>), lang, onDuplicate, dryRun }, once)
      : await writeOnce(ImportVideos, { videos: elements.map(toInput<VideoInput>), lang, dryRun }, once);
  return result.operationId;
}

/** The property names of elements are those of the input type, because both are derived from the table of fields. */
function toInput<Input>({ id, values, unknownFields }: WriteElement): Input {
  return { id, ...values, unknownFields } as Input;
}

/**
 * Why elements of an operation failed, by position. Reads all failures, because the caller counts all other elements
 * as stored.
 */
export async function failuresOf(id: number): Promise<ReadonlyMap<number, Failure>> {
  const failures = new Map<number, Failure>();
  for (;;) {
    const { operation } = await graphql(ImportFailures, { id, offset: failures.size });
    const errors = operation?.errors ?? [];
    for (const error of errors) failures.set(error.position, error);
    if (errors.length === 0) return failures;
  }
}
