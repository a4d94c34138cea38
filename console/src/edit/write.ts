import { graphql } from '../api/graphql.ts';
import { DeleteImages, DeleteVideos, UpdateImages, UpdateVideos } from '../api/documents.ts';
import type {
  UpdateImagesMutationVariables,
  UpdateVideosMutationVariables,
  WrittenFragment,
} from '../api/documents.ts';

type Kind = 'image' | 'video';
type Result = WrittenFragment | { readonly operationId: number };

/** A write of all that a formula finds; without `set` they are deleted. */
export type BatchWrite = Readonly<{ kind: Kind; q: string; set?: Readonly<Record<string, unknown>> }>;

/**
 * Runs a write, or tries it.
 *
 * @returns its operation; only the number of one that takes longer than the service waits.
 */
export async function write({ kind, q, set }: BatchWrite, dryRun: boolean): Promise<Result> {
  if (set === undefined) {
    if (kind === 'video') return (await graphql(DeleteVideos, { q, dryRun })).deleteVideos;
    return (await graphql(DeleteImages, { q, dryRun })).deleteImages;
  }
  if (kind === 'video') {
    return (await graphql(UpdateVideos, { q, set, dryRun } as UpdateVideosMutationVariables)).updateVideos;
  }
  return (await graphql(UpdateImages, { q, set, dryRun } as UpdateImagesMutationVariables)).updateImages;
}

/** The number of the operation of a write. */
export function operationOf(result: Result): number {
  return 'id' in result ? result.id : result.operationId;
}
