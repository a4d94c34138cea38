import { graphql } from '../api/graphql.ts';
import { ImageHistory, VideoHistory } from '../api/documents.ts';
import type { ChangeFragment } from '../api/documents.ts';
import { shownValues } from '../i18n/shown-value.ts';
import type { CatalogField } from '../state/fields.svelte.ts';

export type Change = ChangeFragment;

/** The last changes of a record, newest first. */
export async function readHistory(kind: 'image' | 'video', id: string): Promise<readonly Change[]> {
  const page =
    kind === 'video'
      ? (await graphql(VideoHistory, { id })).videoHistory
      : (await graphql(ImageHistory, { id })).imageHistory;
  return page?.results ?? [];
}

/** A value of a field as text; null if there is none. */
export function textOf(value: Change['fields'][number]['before'], field?: CatalogField): string | null {
  return value === null ? null : shownValues(value, field).join(', ');
}
