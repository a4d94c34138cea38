import { AddToCollection, CreateCollection, FindCollection } from '../api/documents.ts';
import type { AddToCollectionMutationVariables } from '../api/documents.ts';
import { graphql } from '../api/graphql.ts';
import { patiently } from '../api/patiently.ts';
import type { Waiter } from '../api/patiently.ts';

/**
 * Puts records into a collection, which is made where there is none. While the service is away this is sent again: what was
 * done before stays as it is.
 *
 * @returns how many it has more
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
