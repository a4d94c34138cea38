import { resources } from '../../../catalog/index.ts';
import { AppError } from '../../../lib/errors.ts';
import { packageVersion } from '../../../lib/package-root.ts';
import type { Finding } from '../../../doctor/index.ts';
import { activityOfAll } from '../../../operations/index.ts';
import { askForRebuild, meilisearchLag, noteChanges } from '../../../search/index.ts';
import type { MeilisearchLag } from '../../../search/index.ts';
import { recordAudit } from '../../../tenants/index.ts';
import { builder } from '../builder.ts';
import { actorOf, tenantOf } from '../context.ts';
import type { Context, Operator } from '../context.ts';
import { RecordKindEnum } from '../records/collection.ts';
import { ActivityObject, sinceArg } from './tenant-state.ts';

const FindingState = builder.enumType('FindingState', {
  values: ['ok', 'note', 'fault'] as const,
  description: 'The outcome of a check: fine, worth knowing, or a fault.',
});

const FindingObject = builder.objectRef<Finding>('Finding').implement({
  description: 'The result of one check of `vitrine doctor`.',
  fields: (t) => ({
    subject: t.exposeString('subject', { description: 'What was checked, such as `database`.' }),
    state: t.expose('state', { type: FindingState, description: 'The outcome.' }),
    text: t.exposeString('text', { description: 'What was found, in English.' }),
    remedy: t.string({
      nullable: true,
      description: 'How to fix it.',
      resolve: ({ remedy }) => remedy ?? null,
    }),
  }),
});

type IndexState = MeilisearchLag['indexes'][number];

const SearchIndex = builder.objectRef<IndexState>('SearchIndex').implement({
  description: 'An index of Meilisearch.',
  fields: (t) => ({
    resource: t.exposeString('resource', { description: 'The records in it: `image` or `video`.' }),
    isReady: t.exposeBoolean('isReady', { description: 'Whether it answers searches.' }),
    isRebuilding: t.exposeBoolean('isRebuilding', {
      description: 'Whether it is waiting to be rebuilt, or being rebuilt.',
    }),
    filled: t.int({
      nullable: true,
      description: 'Records in the index that is being built; null if none is.',
      resolve: ({ filling }) => filling?.filled ?? null,
    }),
    toFill: t.int({
      nullable: true,
      description: 'Number of records that it will have.',
      resolve: ({ filling }) => filling?.of ?? null,
    }),
  }),
});

const SearchState = builder.objectRef<MeilisearchLag>('SearchState').implement({
  description: 'How far Meilisearch is behind.',
  fields: (t) => ({
    pending: t.exposeInt('pending', { description: 'Changes that it has not indexed yet.' }),
    refused: t.exposeInt('refused', { description: 'Records that it refused; PostgreSQL answers for their tenants.' }),
    lagSeconds: t.exposeFloat('lagSeconds', { description: 'Age of the oldest change that it has not indexed yet.' }),
    indexes: t.expose('indexes', { type: [SearchIndex], description: 'Its indexes.' }),
  }),
});

type Asked = Readonly<{ since: Date }>;

const ServiceState = builder.objectRef<Asked>('ServiceState').implement({
  description: 'The service as a whole: the work of all tenants, and the findings of the doctor.',
  fields: (t) => ({
    version: t.string({ description: 'Version of the process that answers.', resolve: () => packageVersion }),
    activity: t.field({
      type: ActivityObject,
      description: 'The work of all tenants.',
      resolve: ({ since }, _args, { services }) => activityOfAll(services.database, since),
    }),
    search: t.field({
      type: SearchState,
      nullable: true,
      description: 'The state of Meilisearch; null if it is not configured: PostgreSQL keeps its search tables itself.',
      resolve: (_state, _args, { services: { database, meilisearch } }) =>
        meilisearch === undefined ? null : meilisearchLag(database),
    }),
    findings: t.field({
      type: [FindingObject],
      description: 'What `vitrine doctor` finds on the machine of this process.',
      resolve: (_state, _args, context: Context) => operatorOf(context).examine(),
    }),
  }),
});

/**
 * Returns the actions that are reserved for operators of the service. @throws AppError `not_implemented` if this
 * process has none.
 */
function operatorOf({ services }: Context): Operator {
  if (services.operator === undefined)
    throw new AppError('not_implemented', 'This process does not manage the service');
  return services.operator;
}

builder.queryField('serviceState', (t) =>
  t.field({
    type: ServiceState,
    description: 'The state of the service. Only for admin keys of the first tenant.',
    args: sinceArg,
    authScopes: { scope: 'service:manage' },
    resolve: (_root, { since }) => ({ since: since ?? new Date() }),
  }),
);

builder.mutationField('rebuildSearchIndexes', (t) =>
  t.field({
    type: SearchState,
    description:
      'Rebuilds the indexes of Meilisearch, as `vitrine reindex` does; the old ones stay in use. `serviceState` has the progress.',
    args: {
      resource: t.arg({ type: RecordKindEnum, description: 'Only the index of these records; by default both.' }),
    },
    authScopes: { scope: 'service:manage' },
    resolve: async (_root, { resource }, context) => {
      const { database, meilisearch } = context.services;
      if (meilisearch === undefined) {
        const hint = 'PostgreSQL keeps its search tables up to date itself: there is nothing to rebuild';
        throw new AppError('not_implemented', 'Meilisearch is not configured', { hint });
      }
      const wanted = resource ? [resource] : resources;
      await noteChanges(database);
      await askForRebuild(database, wanted);
      await recordAudit(tenantOf(context), actorOf(context), {
        action: 'search.reindexed',
        subject: wanted.join(', '),
      });
      return meilisearchLag(database);
    },
  }),
);
