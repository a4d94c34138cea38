import type { OperationMethod } from '../../prisma/generated/client/enums.ts';
import type { Resource, WriteAction } from '../catalog/index.ts';

/** A kind of operation: what its record says and what it does to each element. */
export type WriteKind = Readonly<{
  method: OperationMethod;
  resource: Resource;
  action: WriteAction;
}>;

/** The task of a kind that writes no records; it runs entirely in the second stage. */
export type Task = 'duplicates' | 'export';

/** A kind that writes no records. */
type TaskKind = Readonly<{ method: OperationMethod; resource: Resource; action: null; task: Task }>;

/**
 * The complete list of kinds. A worker that finds any other name in the table is older than the process that wrote
 * it.
 */
export const operationKinds = {
  'images.create': { method: 'add', resource: 'image', action: 'create' },
  'images.replace': { method: 'upd', resource: 'image', action: 'replace' },
  'images.upsert': { method: 'upd', resource: 'image', action: 'upsert' },
  'images.update': { method: 'upd', resource: 'image', action: 'update' },
  'images.delete': { method: 'del', resource: 'image', action: 'delete' },
  /** Analyzes records that were never analyzed, or only by another version; `reanalyze` analyzes all of them. */
  'images.analyze': { method: 'upd', resource: 'image', action: 'analyze' },
  'images.reanalyze': { method: 'upd', resource: 'image', action: 'analyze' },
  /** Reverts the changes of an operation, or a record to its state at a given time. */
  'images.undo': { method: 'upd', resource: 'image', action: 'revert' },
  'images.restore': { method: 'upd', resource: 'image', action: 'revert' },
  /** Removes records with their history. */
  'images.purge': { method: 'del', resource: 'image', action: 'purge' },
  /** Merges duplicates into the one that is kept. */
  'images.merge': { method: 'upd', resource: 'image', action: 'merge' },
  'images.find_duplicates': { method: 'upd', resource: 'image', action: null, task: 'duplicates' },
  'images.export': { method: 'multiple', resource: 'image', action: null, task: 'export' },
  'videos.create': { method: 'add', resource: 'video', action: 'create' },
  'videos.replace': { method: 'upd', resource: 'video', action: 'replace' },
  'videos.upsert': { method: 'upd', resource: 'video', action: 'upsert' },
  'videos.update': { method: 'upd', resource: 'video', action: 'update' },
  'videos.delete': { method: 'del', resource: 'video', action: 'delete' },
  'videos.analyze': { method: 'upd', resource: 'video', action: 'analyze' },
  'videos.reanalyze': { method: 'upd', resource: 'video', action: 'analyze' },
  'videos.undo': { method: 'upd', resource: 'video', action: 'revert' },
  'videos.restore': { method: 'upd', resource: 'video', action: 'revert' },
  'videos.purge': { method: 'del', resource: 'video', action: 'purge' },
  'videos.export': { method: 'multiple', resource: 'video', action: null, task: 'export' },
} as const satisfies Record<string, WriteKind | TaskKind>;

export type OperationKindName = keyof typeof operationKinds;

export function isKindName(name: string): name is OperationKindName {
  return Object.hasOwn(operationKinds, name);
}

/** The task that operations of a kind perform instead of writing records; null for those that write. */
export function taskOf(name: string): Task | null {
  const kind = isKindName(name) ? operationKinds[name] : null;
  return kind?.action === null ? kind.task : null;
}
