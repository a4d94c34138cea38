import type { Provenance } from '../analysis.ts';
import { fieldsOf } from '../fields.ts';
import type { Resource } from '../fields.ts';
import { provenancePrefix } from './state.ts';
import type { State } from './state.ts';

/** The value of a field, as JSON. */
export type KeptValue = string | number | boolean | readonly string[] | null;

/** A change to a field: its value before and after, and where each value comes from if not from a caller. */
export type FieldChange = Readonly<{
  field: string;
  before: KeptValue;
  after: KeptValue;
  beforeProvenance: (Provenance & Readonly<{ field: string }>) | null;
  afterProvenance: (Provenance & Readonly<{ field: string }>) | null;
}>;

/** The fields that readers get to see, with their properties; includes the language of the texts. */
const shown: Readonly<Record<Resource, readonly (readonly [name: string, property: string])[]>> = {
  image: shownOf('image'),
  video: shownOf('video'),
};

function shownOf(resource: Resource): readonly (readonly [name: string, property: string])[] {
  const fields = fieldsOf[resource].filter(({ name, sql, type }) => sql === name && type !== 'time');
  return [...fields.map(({ name, property }) => [name, property] as const), ['lang', 'lang']];
}

/** Returns what changed from one state to the other; null is the state of a record that does not exist. */
export function changedFields(resource: Resource, before: State | null, after: State | null): FieldChange[] {
  return shown[resource].flatMap(([name, property]) => {
    if ((before?.[name] ?? null) === null && (after?.[name] ?? null) === null) return [];
    return [
      {
        field: name,
        before: (before?.[name] ?? null) as KeptValue,
        after: (after?.[name] ?? null) as KeptValue,
        beforeProvenance: provenanceIn(before, property),
        afterProvenance: provenanceIn(after, property),
      },
    ];
  });
}

function provenanceIn(state: State | null, property: string): FieldChange['beforeProvenance'] {
  const found = state?.[provenancePrefix + property] as Provenance | null | undefined;
  return found ? { ...found, field: property } : null;
}
