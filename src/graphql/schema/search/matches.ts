import { resources } from '../../../catalog/index.ts';
import { AppError } from '../../../lib/errors.ts';
import { findWatched, followMatches } from '../../../search/index.ts';
import type { Notification } from '../../../notifications/index.ts';
import { hasScope } from '../../../tenants/index.ts';
import { builder } from '../builder.ts';
import { tenantOf, viewerOf } from '../context.ts';
import { RecordKindEnum } from '../records/collection.ts';

const matchKinds = ['matched', 'unmatched'] as const;

const FormulaEventKind = builder.enumType('FormulaEventKind', {
  description: 'Whether a record began or ceased to match a formula that watches.',
  values: matchKinds,
});

const FormulaEvent = builder.objectRef<Notification>('FormulaEvent').implement({
  description: 'A record began or ceased to match a formula that watches.',
  fields: (t) => ({
    number: t.expose('number', {
      type: 'BigInt',
      description: 'Number of the event; numbers increase. Pass it as `after` to continue after it.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was noticed.' }),
    formula: t.string({ description: 'Name of the formula.', resolve: ({ formula }) => formula ?? '' }),
    kind: t.field({
      type: FormulaEventKind,
      description: 'Whether it matches now.',
      resolve: ({ kind }) => (kind === 'record.matched' ? 'matched' : 'unmatched'),
    }),
    resource: t.field({
      type: RecordKindEnum,
      description: 'The kind of the record.',
      resolve: ({ resource }) => resource ?? 'image',
    }),
    id: t.string({ description: 'Id of the record.', resolve: ({ ref }) => ref ?? '' }),
    deleted: t.boolean({
      description: 'Whether it no longer matches because it was deleted.',
      resolve: ({ data }) => data['deleted'] === true,
    }),
  }),
});

builder.subscriptionField('matches', (t) =>
  t.field({
    type: FormulaEvent,
    description:
      'Follows a saved formula that watches: each record that begins or ceases to match, from now on or from an earlier ' +
      'event, also under another name. Fails with `not_found` if the tenant has no formula of that name that watches, and ' +
      'ends with it when the formula is deleted or no longer watches.',
    args: {
      name: t.arg.string({ required: true, description: 'Name of the formula.' }),
      after: t.arg({ type: 'BigInt', description: 'Only events after this number; by default those from now on.' }),
    },
    authScopes: { scope: 'imgs:read' },
    subscribe: async (_root, { name, after }, context) => {
      const { services, request } = context;
      const db = tenantOf(context);
      const viewer = viewerOf(context);
      const formula = await findWatched(db, name);
      if (formula === null) throw notWatching('No formula that watches has this name');
      return followMatches(db, services.notifications, {
        formula,
        after: after ?? null,
        resources: resources.filter((each) => each === 'image' || hasScope(viewer, 'vids:read')),
        signal: request.signal,
      });
    },
    resolve: (event) => {
      if (event.kind === 'formula.ended') throw notWatching('The formula was deleted, or no longer watches');
      return event;
    },
  }),
);

function notWatching(message: string): AppError {
  const hint = 'Save a formula, and let it watch: watchFormula(name:)';
  return new AppError('not_found', message, { argument: 'name', hint });
}
