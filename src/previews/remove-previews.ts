import pLimit from 'p-limit';
import { previewFormats } from '../analysis/index.ts';
import type { Resource } from '../catalog/index.ts';
import { nameOf, widthsOf } from './ladder.ts';
import type { FileStore } from '../storage/index.ts';

/** Files whose previews are to be removed, by the ids under which the previews are stored. */
export type ShownFiles = Readonly<{ tenantId: number; resource: Resource; files: readonly string[] }>;

/** Number of previews removed at the same time: in a bucket, each takes a request. */
const parallel = 16;

/** Every name under which a preview of a file can be stored. */
export function namesOf({ tenantId, resource, files }: ShownFiles): string[] {
  const kinds = resource === 'video' ? (['picture', 'filmstrip'] as const) : (['picture'] as const);
  return files.flatMap((fileId) =>
    kinds.flatMap((kind) =>
      widthsOf(kind).flatMap((width) =>
        previewFormats.map((format) => nameOf({ shown: { tenantId, resource, fileId }, kind, width, format })),
      ),
    ),
  );
}

/** Removes all previews of files from a store. @throws the first error of the store, without trying the rest. */
export async function removePreviews(store: FileStore, shown: ShownFiles): Promise<void> {
  const limit = pLimit(parallel);
  const faults: unknown[] = [];
  const removals = namesOf(shown).map((name) =>
    limit(async () => {
      if (faults.length === 0) await store.remove(name).catch((error: unknown) => faults.push(error));
    }),
  );
  await Promise.all(removals);
  if (faults.length > 0) throw faults[0];
}
