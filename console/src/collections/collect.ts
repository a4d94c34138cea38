import { AddToCollection, CreateCollection, FindCollection } from '../api/documents.ts';
import type { AddToCollectionMutationVariables } from '../api/documents.ts';
import { graphql } from '../api/graphql.ts';
import { patiently } from '../api/patiently.ts';
import type { Waiter } from '../api/patiently.ts';

/**
 * Adds records to a collection, which is created if it does not exist. While the service is away, the requests are
 * sent again, which does no harm: what was already added stays.
 *
 * @returns how many records the collection has gained
 */
export async function collect(records: AddToCollectionMutationVariables, waiter: Waiter): Promise<number> {
  const { name } = records;
  let before: number | null = null;
  await patiently(async () => {
    const { collection } = await graphql(FindCollection, { name });
    before ??= collection === null ? 0 : sizeOf(collection);
    if (collection === null) await graphql(CreateCollection, { name });
  }, waiter);
  const { addToCollection } = await patiently(() => graphql(AddToCollection, records), waiter);
  return sizeOf(addToCollection.collection) - (before ?? 0);
}

function sizeOf({ images, videos }: Readonly<{ images: number; videos: number }>): number {
  return images + videos;
}
