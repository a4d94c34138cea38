import { fieldsOf } from '../../../catalog/index.ts';
import type { Field, FieldType, RecordRow, Resource } from '../../../catalog/index.ts';
import type { Scope } from '../../../tenants/index.ts';
import { AiStatusEnum } from '../analysis/ai-status.ts';
import { builder, LanguageEnum } from '../builder.ts';
import { linkFields } from './link-fields.ts';
import { nodeFields, NodeRef } from './node-id.ts';

/** The names of a kind of record in the schema, and the scope required for it. */
export type RecordNames = Readonly<{ resource: Resource; type: string; many: string; scope: Scope }>;

/** The schema type for each type of the field table. */
const schemaTypes = {
  text: 'String',
  keyword: 'String',
  date: 'String',
  list: ['String'],
  boolean: 'Boolean',
  integer: 'Int',
  number: 'Float',
  duration: 'Float',
  time: 'DateTime',
} as const satisfies Record<FieldType, unknown>;

export type RecordType = ReturnType<typeof declareType>;

/** Declares the type of a record: its fields are derived from the field table. */
export function declareType({ resource, type }: RecordNames) {
  return builder.objectRef<RecordRow>(type).implement({
    interfaces: [NodeRef],
    description: `${resource === 'image' ? 'An' : 'A'} ${resource} of the catalog.`,
    fields: (t) => ({
      version: t.exposeString('version', {
        nullable: false as true,
        description:
          'Changes with every write that changes the record; a write with another version as `ifMatch` fails.',
      }),
      lang: t.expose('lang', {
        type: LanguageEnum,
        nullable: false as true,
        description: 'Language of its texts; an update with another `lang` changes it.',
      }),
      ...nodeFields(t, type),
      ...linkFields(t, resource),
      ...Object.fromEntries(
        fieldsOf[resource].map(({ property, type: fieldType, access, isPresent, description }: Field) => [
          property,
          // The table's names are the row's properties (a test compares them), which types cannot express.
          t.expose(property as 'title', {
            type: typeOf(property, access, fieldType) as 'String',
            nullable: !isPresent as true,
            description,
          }),
        ]),
      ),
    }),
  });
}

function typeOf(property: string, access: Field['access'], type: FieldType): unknown {
  if (property === 'aiStatus') return AiStatusEnum;
  return access === 'identifier' || property === 'id' ? 'ID' : schemaTypes[type];
}
