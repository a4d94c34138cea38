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

/** A write to everything that a formula finds; without `set` the records are deleted. */
export type BatchWrite = Readonly<{ kind: Kind; q: string; set?: Readonly<Record<string, unknown>> }>;

/** Options of a write: whether it is only tried, and the key under which it is sent again. */
export type WriteOptions = Waiter & Readonly<{ dryRun: boolean; key?: string }>;

/** Runs a write, or tries it; while the service is away it is sent again, but done only once. */
export async function write({ kind, q, set }: BatchWrite, { dryRun, ...once }: WriteOptions): Promise<WriteResult> {
  if (set === undefined) {
    if (kind === 'video') return (await writeOnce(DeleteVideos, { q, dryRun }, once)).deleteVideos;
    return (await writeOnce(DeleteImages, { q, dryRun }, once)).deleteImages;
  }
  if (kind === 'video') {
    return (await writeOnce(UpdateVideos, { q, set, dryRun } as UpdateVideosMutationVariables, once)).updateVideos;
  }
  return (await writeOnce(UpdateImages, { q, set, dryRun } as UpdateImagesMutationVariables, once)).updateImages;
}

/** The number of the operation of a write. */
export function operationOf(result: WriteResult): number {
  return 'id' in result ? result.id : result.operationId;
}
