import { completeFormula, completionKinds } from '../../../search/index.ts';
import type { Completion, Completions } from '../../../search/index.ts';
import { builder } from '../builder.ts';
import { requireScope, tenantOf } from '../context.ts';
import { SearchedResource } from './explanation.ts';
import { checkLimit } from '../pages.ts';

const CompletionKind = builder.enumType('FormulaCompletionKind', {
  description: 'What a completion is.',
  values: completionKinds,
});

const CompletionRef = builder.objectRef<Completion>('FormulaCompletion').implement({
  description: 'Something that can stand at the cursor.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'What to write in the place of the part that is there.' }),
    kind: t.expose('kind', { type: CompletionKind, description: 'What it is.' }),
    description: t.exposeString('description', { description: 'What it means; empty where it speaks for itself.' }),
    count: t.exposeInt('count', { nullable: true, description: 'How many records have the value.' }),
  }),
});

const CompletionsRef = builder.objectRef<Completions>('FormulaCompletions').implement({
  description: 'What can stand at the cursor of a formula.',
  fields: (t) => ({
    position: t.int({
      description: 'Code points before the part that is replaced.',
      resolve: ({ span }) => span.start,
    }),
    length: t.int({ description: 'Code points of that part.', resolve: ({ span }) => span.end - span.start }),
    results: t.expose('results', { type: [CompletionRef], description: 'The likeliest first; none after a mistake.' }),
  }),
});

/** Most completions of one answer. */
const maxCompletions = 100;

builder.queryField('formulaCompletions', (t) =>
  t.field({
    type: CompletionsRef,
    description: 'What can come next in a formula: operators, fields, values of this tenant, saved formulas.',
    args: {
      text: t.arg.string({ required: true, description: 'The formula as far as it is written.' }),
      position: t.arg.int({ description: 'Code points before the cursor; its end without one.' }),
      resource: t.arg({
        type: SearchedResource,
        defaultValue: 'image',
        required: true,
        description: 'What it is asked of; videos take the right to read them.',
      }),
      limit: t.arg.int({ defaultValue: 20, required: true, description: 'Most completions, 1 to 100.' }),
    },
    authScopes: { scope: 'imgs:read' },
    resolve: (_root, { text, position, resource, limit }, context) => {
      if (resource === 'video') requireScope(context, 'vids:read');
      checkLimit(limit, maxCompletions);
      const cursor = Math.max(0, position ?? Number.MAX_SAFE_INTEGER);
      return completeFormula(tenantOf(context), { text, position: cursor, resource, limit });
    },
  }),
);
