import { completeFormula, completionKinds } from '../../../search/index.ts';
import type { Completion, Completions } from '../../../search/index.ts';
import { builder } from '../builder.ts';
import { requireScope, tenantOf } from '../context.ts';
import { ExplanationLanguage, searchedResourceArg } from './explanation.ts';
import { checkLimit } from '../pages.ts';

const CompletionKind = builder.enumType('FormulaCompletionKind', {
  description: 'What a completion is.',
  values: completionKinds,
});

const CompletionRef = builder.objectRef<Completion>('FormulaCompletion').implement({
  description: 'A possible completion at the cursor.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'Text that replaces the part at the cursor.' }),
    kind: t.expose('kind', { type: CompletionKind, description: 'Kind of the completion.' }),
    description: t.exposeString('description', { description: 'What it means; empty if it is obvious.' }),
    count: t.exposeInt('count', { nullable: true, description: 'Number of records with the value.' }),
  }),
});

const CompletionsRef = builder.objectRef<Completions>('FormulaCompletions').implement({
  description: 'Possible completions at the cursor of a formula.',
  fields: (t) => ({
    position: t.int({
      description: 'Offset of the replaced part, in code points.',
      resolve: ({ span }) => span.start,
    }),
    length: t.int({
      description: 'Length of the replaced part, in code points.',
      resolve: ({ span }) => span.end - span.start,
    }),
    results: t.expose('results', {
      type: [CompletionRef],
      description: 'The most likely first; empty after a mistake.',
    }),
  }),
});

/** Maximum number of completions in an answer. */
const maxCompletions = 100;

builder.queryField('formulaCompletions', (t) =>
  t.field({
    type: CompletionsRef,
    description: 'What can come next in a formula: operators, fields, values of this tenant, saved formulas.',
    args: {
      text: t.arg.string({ required: true, description: 'The formula so far.' }),
      position: t.arg.int({ description: 'Offset of the cursor in code points; default: the end.' }),
      ...searchedResourceArg,
      language: t.arg({
        type: ExplanationLanguage,
        defaultValue: 'en',
        required: true,
        description: 'Language of the descriptions.',
      }),
      limit: t.arg.int({ defaultValue: 20, required: true, description: 'Maximum number of completions, 1 to 100.' }),
    },
    authScopes: { scope: 'imgs:read' },
    resolve: (_root, { text, position, resource, language: locale, limit }, context) => {
      if (resource === 'video') requireScope(context, 'vids:read');
      checkLimit(limit, maxCompletions);
      const cursor = Math.max(0, position ?? Number.MAX_SAFE_INTEGER);
      return completeFormula(tenantOf(context), { text, position: cursor, resource, limit, locale });
    },
  }),
);
