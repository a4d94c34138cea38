import type { OperationMethod } from '../../prisma/generated/client/enums.ts';
import type { Resource, WriteAction } from '../catalog/index.ts';

/** A kind of operation: what its record says and what it does to each element. */
export type WriteKind = Readonly<{
  method: OperationMethod;
  resource: Resource;
  action: WriteAction;
}>;

/** A kind that writes no records: it searches for duplicates among them. */
type SearchKind = Readonly<{ method: OperationMethod; resource: Resource; action: null }>;

/** The closed list of kinds. A worker that finds another name in the table is older than its writer. */
export const operationKinds = {
  'images.create': { method: 'add', resource: 'image', action: 'create' },
  'images.replace': { method: 'upd', resource: 'image', action: 'replace' },
  'images.upsert': { method: 'upd', resource: 'image', action: 'upsert' },
  'images.update': { method: 'upd', resource: 'image', action: 'update' },
  'images.delete': { method: 'del', resource: 'image', action: 'delete' },
  /** Analyzes records that were never analyzed, or by another version; the second kind analyzes everything. */
  'images.analyze': { method: 'upd', resource: 'image', action: 'analyze' },
  'images.reanalyze': { method: 'upd', resource: 'image', action: 'analyze' },
  'images.find_duplicates': { method: 'upd', resource: 'image', action: null },
  'videos.create': { method: 'add', resource: 'video', action: 'create' },
  'videos.replace': { method: 'upd', resource: 'video', action: 'replace' },
  'videos.upsert': { method: 'upd', resource: 'video', action: 'upsert' },
  'videos.update': { method: 'upd', resource: 'video', action: 'update' },
  'videos.delete': { method: 'del', resource: 'video', action: 'delete' },
  'videos.analyze': { method: 'upd', resource: 'video', action: 'analyze' },
  'videos.reanalyze': { method: 'upd', resource: 'video', action: 'analyze' },
} as const satisfies Record<string, WriteKind | SearchKind>;

export type OperationKindName = keyof typeof operationKinds;

export function isKindName(name: string): name is OperationKindName {
  return Object.hasOwn(operationKinds, name);
}

/** Whether operations of a kind search for duplicates. */
export function isSearch(name: string): boolean {
  return isKindName(name) && operationKinds[name].action === null;
}
