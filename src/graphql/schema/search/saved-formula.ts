import { deleteSavedFormula, listSavedFormulas, saveAndWatch, setWatching } from '../../../search/index.ts';
import type { SavedFormula } from '../../../search/index.ts';
import { renameFormula } from '../../../webhooks/index.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import type { Context } from '../context.ts';
import { dryRunArgs, writeFor } from '../dry-run.ts';
import { pagesOf, pageType } from '../pages.ts';
import { callerOf } from './search-query.ts';

const SavedFormulaRef = builder.objectRef<SavedFormula>('SavedFormula').implement({
  description: 'A saved formula of the tenant; other formulas use it as `saved:name`.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name, unique within the tenant.' }),
    formula: t.exposeString('formula', { description: 'The formula in canonical form.' }),
    watching: t.exposeBoolean('watching', {
      description: 'Whether it reports records that begin or cease to match; see `Subscription.matches`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was first saved.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last saved.' }),
  }),
});

const SavedFormulaPage = pageType(SavedFormulaRef, {
  name: 'SavedFormulaPage',
  description: 'A page of saved formulas, by name.',
  results: 'The formulas of this page.',
});

const pages = pagesOf('Formulas');

builder.queryField('savedFormulas', (t) =>
  t.field({
    type: SavedFormulaPage,
    description: 'The saved formulas of the tenant, by name.',
    args: pages.args,
    authScopes: { scope: 'imgs:read' },
    resolve: (_root, page, context) => {
      pages.check(page);
      return listSavedFormulas(tenantOf(context), page);
    },
  }),
);

const watchDepsOf = (context: Context) => ({
  beside: tenantOf(context),
  services: context.services,
  caller: callerOf(context),
});

builder.mutationFields((t) => ({
  saveFormula: t.field({
    type: SavedFormulaRef,
    description: 'Saves a formula under a name. It may use other saved formulas, but not itself.',
    args: {
      name: t.arg.string({ required: true, description: 'Its name, up to 100 characters without quotes.' }),
      formula: t.arg.string({ required: true, description: 'The formula.' }),
      replace: t.arg.boolean({
        defaultValue: false,
        required: true,
        description: 'Whether it replaces a formula with the same name.',
      }),
      watching: t.arg.boolean({
        description: 'Whether it watches from now on. If omitted, a replaced formula keeps its setting.',
      }),
      ...dryRunArgs,
    },
    authScopes: { scope: 'formulas:write' },
    resolve: (_root, { name, formula, replace: replaces, watching, dryRun }, context) =>
      writeFor(context, dryRun, (db) => saveAndWatch(db, { name, formula, replaces, watching }, watchDepsOf(context))),
  }),
  renameSavedFormula: t.field({
    type: SavedFormulaRef,
    description:
      'Renames a saved formula, also in the formulas that refer to it. Webhooks and open subscriptions continue under ' +
      'the new name.',
    args: {
      name: t.arg.string({ required: true, description: 'Its name.' }),
      to: t.arg.string({ required: true, description: 'The new name, up to 100 characters without quotes.' }),
      ...dryRunArgs,
    },
    authScopes: { scope: 'formulas:write' },
    resolve: (_root, { name, to, dryRun }, context) => writeFor(context, dryRun, (db) => renameFormula(db, name, to)),
  }),
  deleteSavedFormula: t.field({
    type: SavedFormulaRef,
    nullable: true,
    description: 'Deletes a saved formula. Null if the tenant has none with that name.',
    args: { name: t.arg.string({ required: true, description: 'Its name.' }), ...dryRunArgs },
    authScopes: { scope: 'formulas:write' },
    resolve: (_root, { name, dryRun }, context) => writeFor(context, dryRun, (db) => deleteSavedFormula(db, name)),
  }),
}));

builder.mutationField('watchFormula', (t) =>
  t.field({
    type: SavedFormulaRef,
    description:
      'Turns watching on or off for a saved formula. While it watches, it reports each record that begins or ceases to match. ' +
      'A formula that cannot be watched is refused with `invalid_formula`.',
    args: {
      name: t.arg.string({ required: true, description: 'Its name.' }),
      watching: t.arg.boolean({ required: true, defaultValue: true, description: 'Whether it watches.' }),
      ...dryRunArgs,
    },
    authScopes: { scope: 'formulas:write' },
    resolve: (_root, { name, watching, dryRun }, context) =>
      writeFor(context, dryRun, (db) => setWatching(db, name, watching, watchDepsOf(context))),
  }),
);
