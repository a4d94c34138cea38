import {
  carriedFieldsOf,
  describeField,
  fieldsOf,
  formulaFieldsOf,
  formulaKindOf,
  limitsOf,
  lockableFieldsOf,
  longTextOf,
} from '../../../catalog/index.ts';
import type { Field, FormulaField, Locale, Resource } from '../../../catalog/index.ts';
import { facetsOf, sortsOf } from '../../../search/index.ts';
import { builder } from '../builder.ts';
import { requireScope } from '../context.ts';
import { ExplanationLanguage, SearchedResource } from './explanation.ts';

/** A field of formulas or only of records, for one resource and in one language. */
type CatalogField = Readonly<{
  field: Pick<FormulaField, 'name' | 'kind' | 'description' | 'label'>;
  inFormulas: boolean;
  resource: Resource;
  locale: Locale;
}>;

/** Returns the corresponding field of records; undefined if it is derived from other fields. */
function recordField({ field, resource }: CatalogField): Field | undefined {
  return fieldsOf[resource].find(({ name }) => name === field.name);
}

const CatalogFieldRef = builder.objectRef<CatalogField>('CatalogField').implement({
  description: 'A field of the catalog, and how it can be used.',
  fields: (t) => ({
    name: t.string({ description: 'As formulas and REST name it.', resolve: ({ field }) => field.name }),
    property: t.string({
      nullable: true,
      description: 'The field of `Image` or `Video` that holds it; null if it is derived from others.',
      resolve: (field) => recordField(field)?.property ?? null,
    }),
    kind: t.string({
      description:
        'How its values are written: text, keyword, list, number, ratio, duration, date, time, boolean, enum or color.',
      resolve: ({ field }) => field.kind,
    }),
    label: t.string({
      description: 'The name of one of its values for people, in the singular.',
      resolve: ({ field, locale }) => field.label[locale],
    }),
    description: t.string({
      description: 'What it holds.',
      resolve: ({ field, locale }) => describeField(field, locale),
    }),
    inFormulas: t.exposeBoolean('inFormulas', { description: 'Whether formulas can search it.' }),
    isUrl: t.boolean({
      description: 'Whether its values must be absolute http or https URLs.',
      resolve: (field) => recordField(field)?.isUrl === true,
    }),
    isFacet: t.boolean({
      description: 'Whether its values can be counted.',
      resolve: ({ field, resource }) => facetsOf(resource).includes(field.name),
    }),
    isEditable: t.boolean({
      description: 'Whether callers can set it, even in many records at once.',
      resolve: (field) => recordField(field)?.access === 'write',
    }),
    isLockable: t.boolean({
      description: 'Whether `lockedFields` can name it. Callers set the source, but cannot lock it.',
      resolve: ({ field, resource }) => lockableFieldsOf[resource].some(({ name }) => name === field.name),
    }),
    isLong: t.boolean({
      description: 'Whether it is a text of several sentences, which may have line breaks.',
      resolve: ({ field, resource }) => longTextOf[resource] === field.name,
    }),
    maxLength: t.int({
      nullable: true,
      description:
        'Maximum number of characters (code points) of a value, or of each element of a list; null for other kinds.',
      resolve: (field) => limitsOf(recordField(field)).maxLength,
    }),
    maxElements: t.int({
      nullable: true,
      description: 'Maximum number of elements of a list; null for other kinds.',
      resolve: (field) => limitsOf(recordField(field)).maxElements,
    }),
    isSortable: t.boolean({
      description: 'Whether lists can be sorted by it.',
      resolve: ({ field, resource }) => sortsOf(resource).includes(field.name),
    }),
  }),
});

builder.queryField('catalogFields', (t) =>
  t.field({
    type: [CatalogFieldRef],
    description: 'The fields of the catalog, with their names for people.',
    args: {
      resource: t.arg({
        type: SearchedResource,
        defaultValue: 'image',
        required: true,
        description: 'Fields of which records; for videos, the right to read them is required.',
      }),
      language: t.arg({
        type: ExplanationLanguage,
        defaultValue: 'en',
        required: true,
        description: 'Language of the labels and descriptions.',
      }),
      all: t.arg.boolean({
        defaultValue: false,
        required: true,
        description: 'Also include fields that callers set and formulas cannot search, such as `src_path`.',
      }),
    },
    authScopes: { scope: 'imgs:read' },
    resolve: (_root, { resource, language: locale, all }, context) => {
      if (resource === 'video') requireScope(context, 'vids:read');
      const asked = formulaFieldsOf(resource).map((field) => ({ field, inFormulas: true, resource, locale }));
      if (!all) return asked;
      const carried = carriedFieldsOf(resource).map((each) => {
        return { field: { ...each, kind: formulaKindOf[each.type] }, inFormulas: false, resource, locale };
      });
      return [...asked, ...carried];
    },
  }),
);
