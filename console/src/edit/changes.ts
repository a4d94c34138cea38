import type { CatalogField } from '../state/fields.svelte.ts';
import { faultOf, toValue } from './draft.ts';
import type { Draft } from './draft.ts';

/** Actions on a field. */
export const actions = ['set', 'clear', 'add', 'remove'] as const;
export type Action = (typeof actions)[number];

/** One change of the form. */
export type Change = { field: string; action: Action; value: Draft };

/** Actions on a field of a kind: only lists gain and lose values. */
export function actionsOf({ kind }: CatalogField): readonly Action[] {
  return kind === 'list' ? ['add', 'remove', 'set', 'clear'] : ['set', 'clear'];
}

/** The initial value of a change. */
export function emptyValueOf({ kind }: CatalogField): Draft {
  return kind === 'list' ? [] : kind === 'boolean' ? 'true' : '';
}

/** Whether a change is complete. */
export function isComplete({ field, action, value }: Change): boolean {
  return field !== '' && (action === 'clear' || (typeof value === 'string' ? value.trim() : value).length > 0);
}

/** Whether another change of the form already writes a field: only lists can be changed in several ways. */
export function isTaken({ name, kind }: CatalogField, own: Change, changes: readonly Change[]): boolean {
  return kind !== 'list' && changes.some((change) => change !== own && change.field === name);
}

/** Why the value of a change does not fit its field; null if it does, or if nothing has been entered yet. */
export function faultOfChange(change: Change, fields: readonly CatalogField[]): string | null {
  const field = fields.find(({ name }) => name === change.field);
  if (field === undefined || change.action === 'clear' || !isComplete(change)) return null;
  return faultOf(field, change.value);
}

/** The input of `updateImages(set:)` and `updateVideos(set:)` for changes of fields. */
export function toSet(changes: readonly Change[], fields: readonly CatalogField[]): Record<string, unknown> {
  const set: Record<string, unknown> = {};
  for (const { field: name, action, value } of changes) {
    const field = fields.find((each) => each.name === name);
    if (field?.property === null || field === undefined) continue;
    const { property, kind } = field;
    if (action === 'add' || action === 'remove') {
      const change = `change${property.charAt(0).toUpperCase()}${property.slice(1)}`;
      const given = set[change] as Partial<Record<Action, readonly string[]>> | undefined;
      set[change] = { ...given, [action]: [...(given?.[action] ?? []), ...value] };
    } else if (action === 'clear') set[property] = kind === 'list' ? [] : null;
    else set[property] = toValue(field, value);
  }
  return set;
}
