import { changeNameOf, isListChange, writableFieldsOf } from '../../../catalog/index.ts';
import type { Field, FieldType, FieldValue, ListChange, WriteElement } from '../../../catalog/index.ts';
import { AppError } from '../../../lib/errors.ts';
import { builder } from '../builder.ts';
import type { RecordNames } from './record-type.ts';

type ListChangeShape = Readonly<{ add?: readonly string[] | null; remove?: readonly string[] | null }>;

/** Values of a record by name; a change to a list has a separate name. */
interface ValuesShape {
  [property: string]: FieldValue | ListChangeShape | undefined;
}

export type RecordInputShape = ValuesShape & { id: string; unknownFields?: readonly string[] | null };

const ListChangeInput = builder.inputType('ListChange', {
  description: 'What an update adds to a list and removes from it, instead of replacing the list.',
  fields: (t) => ({
    add: t.stringList({ description: 'Elements to add at the end; those already in the list keep their place.' }),
    remove: t.stringList({ description: 'Elements to remove from the list.' }),
  }),
});

type Inputs = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];

function inputType(type: FieldType): 'Boolean' | 'String' | ['String'] {
  return type === 'list' ? ['String'] : type === 'boolean' ? 'Boolean' : 'String';
}

/** Returns an input field for each field's value, and one for the change to each list. */
function valueFields(t: Inputs, fields: readonly Field[]) {
  return Object.fromEntries(
    fields.flatMap(({ property, type, description }) => {
      const value = [property, t.field({ type: inputType(type), description })] as const;
      if (type !== 'list') return [value];
      const changes = `Changes to \`${property}\`; not together with a whole list.`;
      return [value, [changeNameOf(property), t.field({ type: ListChangeInput, description: changes })] as const];
    }),
  );
}

/** Declares the inputs of a kind of record: one record to write, and the values to write to all that a formula finds. */
export function declareInputs({ resource, type: name, many }: RecordNames) {
  const fields = writableFieldsOf[resource];
  // Giving several records the same source is a mistake.
  const common = fields.filter(({ property }) => property !== 'src' && property !== 'srcPath');
  const Input = builder.inputRef<RecordInputShape>(`${name}Input`).implement({
    description: `${resource === 'image' ? 'An' : 'A'} ${resource} to write. In an update, an absent field keeps its value and null clears it.`,
    fields: (t) => ({
      id: t.id({ required: true, description: 'Identifier, 1 to 255 characters that are allowed in a path.' }),
      ...valueFields(t, fields),
      unknownFields: t.stringList({
        description: 'Names of unknown fields that the caller sent; a strict operation refuses them.',
      }),
    }),
  });
  const SetInput = builder.inputRef<ValuesShape>(`${name}SetInput`).implement({
    description: `What is written to all ${many} that a formula finds. An absent field keeps its value, null clears it.`,
    fields: (t) => valueFields(t, common),
  });
  return { Input, SetInput };
}

const lists = [...writableFieldsOf.image, ...writableFieldsOf.video].filter(({ type }) => type === 'list');
const changed: ReadonlyMap<string, string> = new Map(lists.map(({ property }) => [changeNameOf(property), property]));

/** Converts an input to an element. @throws AppError `invalid_argument` for a list that is both given and changed. */
export function toElement({ id, unknownFields, ...values }: RecordInputShape): WriteElement {
  return { id, values: toValues(values), ...(unknownFields?.length ? { unknownFields } : {}) };
}

/** Returns values by property. @throws AppError `invalid_argument` for a list that is both given and changed. */
export function toValues(input: ValuesShape): WriteElement['values'] {
  const values: Record<string, FieldValue | undefined> = {};
  for (const [name, value] of Object.entries(input)) {
    const property = changed.get(name);
    if (property === undefined) values[name] = value as FieldValue;
    else if (isListChange(value)) values[property] = toChange(property, value, input);
  }
  return values;
}

function toChange(property: string, { add, remove }: ListChangeShape, input: ValuesShape): ListChange {
  if (input[property] !== undefined) {
    const message = `Give either ${property} or ${changeNameOf(property)}`;
    throw new AppError('invalid_argument', message, { argument: changeNameOf(property) });
  }
  return { ...(add && { add }), ...(remove && { remove }) };
}
