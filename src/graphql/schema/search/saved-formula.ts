import { deleteSavedFormula, listSavedFormulas, saveFormula } from '../../../search/index.ts';
import type { SavedFormula } from '../../../search/index.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import { pagesOf } from '../pages.ts';

const SavedFormulaRef = builder.objectRef<SavedFormula>('SavedFormula').implement({
  description: 'A formula that the tenant keeps under a name; `saved:name` stands for it in other formulas.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name, unique within the tenant.' }),
    formula: t.exposeString('formula', { description: 'The formula in canonical form.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was saved first.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was saved last.' }),
  }),
});

type Page = Awaited<ReturnType<typeof listSavedFormulas>>;

const SavedFormulaPage = builder.objectRef<Page>('SavedFormulaPage').implement({
  description: 'A page of saved formulas, by name.',
  fields: (t) => ({
    results: t.expose('results', { type: [SavedFormulaRef], description: 'The formulas of this page.' }),
    count: t.int({ description: 'How many there are in all.', resolve: ({ count }) => count() }),
  }),
});

const pages = pagesOf('Formulas');

builder.queryField('savedFormulas', (t) =>
  t.field({
    type: SavedFormulaPage,
    description: 'The formulas that the tenant keeps, by name.',
    args: {
      ...pages.args,
    },
    authScopes: { scope: 'imgs:read' },
    resolve: (_root, page, context) => {
      pages.check(page);
      return listSavedFormulas(tenantOf(context), page);
    },
  }),
);

builder.mutationFields((t) => ({
  saveFormula: t.field({
    type: SavedFormulaRef,
    description: 'Keeps a formula under a name. It may name other saved ones, but must not lead back to itself.',
    args: {
      name: t.arg.string({ required: true, description: 'Its name, up to 100 characters without quotes.' }),
      formula: t.arg.string({ required: true, description: 'The formula.' }),
      replace: t.arg.boolean({
        defaultValue: false,
        required: true,
        description: 'Whether it takes the place of one that is saved under the name.',
      }),
    },
    authScopes: { scope: 'formulas:write' },
    resolve: (_root, { name, formula, replace: replaces }, context) =>
      saveFormula(tenantOf(context), { name, formula, replaces }),
  }),
  deleteSavedFormula: t.field({
    type: SavedFormulaRef,
    nullable: true,
    description: 'Forgets a saved formula. Null when the tenant has none of that name.',
    args: { name: t.arg.string({ required: true, description: 'Its name.' }) },
    authScopes: { scope: 'formulas:write' },
    resolve: (_root, { name }, context) => deleteSavedFormula(tenantOf(context), name),
  }),
}));
