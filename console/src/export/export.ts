import { graphql } from '../api/graphql.ts';
import { ExportImages, ExportVideos } from '../api/documents.ts';
import type { ExportFormat } from '../api/documents.ts';
import { selection } from '../edit/selection.svelte.ts';
import { route } from '../state/route.svelte.ts';

/** The requested file: its format, and its fields if they were chosen. */
export type FileAsked = Readonly<{ format: ExportFormat; fields: readonly string[] | null }>;

/** The records to export: the selected ones, or all results of the search. */
export type WhichRecords = 'selected' | 'all';

/** Starts an export. @returns the number of its operation. */
export async function startExport(which: WhichRecords, { format, fields }: FileAsked): Promise<number> {
  const { kind, q, sort, order } = route();
  const ids = which === 'selected' ? selection.ids : null;
  const records = ids === null ? { of: { q }, sortBy: sort === '' ? null : sort } : { of: { ids: [...ids] } };
  const variables = { ...records, sortOrder: order, format, fields: fields === null ? null : [...fields] };
  const { result } = await graphql(kind === 'video' ? ExportVideos : ExportImages, variables);
  return 'id' in result ? result.id : result.operationId;
}
