import { DeleteImages, DeleteVideos, UpdateImages, UpdateVideos } from '../api/documents.ts';
import type {
  UpdateImagesMutationVariables,
  UpdateVideosMutationVariables,
  WrittenFragment,
} from '../api/documents.ts';
import type { Waiter } from '../api/patiently.ts';
import { writeOnce } from '../api/write-once.ts';

type Kind = 'image' | 'video';
/** The result of a write: its operation, or the number of one that takes longer than the service waits. */
export type WriteResult = WrittenFragment | { readonly operationId: number };

/**
 * Records by their ids, or everything that a formula finds. Ids are a separate case because a formula cannot hold
 * enough of them for a selection.
 */
export type WhichRecords = Readonly<{ ids: readonly string[] } | { q: string }>;

/** A write to records; without `set` they are deleted. */
export type BatchWrite = Readonly<{ kind: Kind; which: WhichRecords; set?: Readonly<Record<string, unknown>> }>;

/** Options of a write: whether it is a dry run, and the key under which it is sent again. */
export type WriteOptions = Waiter & Readonly<{ dryRun: boolean; key?: string }>;

/** Runs a write, or a dry run of it; while the service is away, it is sent again, but done only once. */
export async function write({ kind, which, set }: BatchWrite, { dryRun, ...once }: WriteOptions): Promise<WriteResult> {
  if (set === undefined) {
    const variables = { ...('ids' in which ? { ids: [...which.ids] } : which), dryRun };
    if (kind === 'video') return (await writeOnce(DeleteVideos, variables, once)).deleteVideos;
    return (await writeOnce(DeleteImages, variables, once)).deleteImages;
  }
  if ('q' in which) return update(kind, { q: which.q, set, dryRun }, once);
  const records = which.ids.map((id) => ({ ...set, id }));
  return update(kind, { [kind === 'video' ? 'videos' : 'images']: records, dryRun }, once);
}

async function update(kind: Kind, variables: Readonly<Record<string, unknown>>, once: Waiter): Promise<WriteResult> {
  if (kind === 'video') {
    return (await writeOnce(UpdateVideos, variables as UpdateVideosMutationVariables, once)).updateVideos;
  }
  return (await writeOnce(UpdateImages, variables as UpdateImagesMutationVariables, once)).updateImages;
}

/** The number of the operation of a write. */
export function operationOf(result: WriteResult): number {
  return 'id' in result ? result.id : result.operationId;
}
