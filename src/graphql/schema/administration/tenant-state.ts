import { activityOf, limitNames, limitUse } from '../../../operations/index.ts';
import type { Activity, LimitUse } from '../../../operations/index.ts';
import { modelOf, readVectorProgress } from '../../../similarity/index.ts';
import type { VectorProgress } from '../../../similarity/index.ts';
import { rateUse } from '../../../tenants/index.ts';
import type { RateUse } from '../../../tenants/index.ts';
import { builder } from '../builder.ts';
import { tenantOf, viewerOf } from '../context.ts';
import type { Context } from '../context.ts';

const sums: readonly (readonly [keyof Activity, string])[] = [
  ['toStore', 'Elements of operations that are not stored yet.'],
  ['toAnalyze', 'Stored records that wait for their analysis.'],
  ['stored', 'Elements that were stored, of operations that were unfinished at `since` or began later.'],
  ['notStored', 'Elements of these operations that failed.'],
  ['analyzed', 'Records that these operations analyzed.'],
  ['notAnalyzed', 'Records whose analysis failed.'],
];

export const ActivityObject = builder.objectRef<Activity>('Activity').implement({
  description: 'Waiting work, and work done since a moment. Two readings for the same moment give the speed.',
  fields: (t) => ({
    sampledAt: t.expose('sampledAt', { type: 'DateTime', description: 'When it was counted.' }),
    openOperations: t.exposeInt('openOperations', { description: 'Unfinished operations.' }),
    oldestSeconds: t.exposeFloat('oldestSeconds', {
      nullable: true,
      description: 'Age of the oldest unfinished operation; null if all are finished.',
    }),
    workers: t.exposeInt('workers', { description: 'Workers with a heartbeat; they serve all tenants.' }),
    ...Object.fromEntries(
      sums.map(([name, description]) => [
        name,
        t.field({ type: 'BigInt', description, resolve: (activity) => activity[name] as number }),
      ]),
    ),
  }),
});

export const sinceArg = builder.args((t) => ({
  since: t.field({
    type: 'DateTime',
    description: 'The moment from which work is counted; by default now. Operations that ended earlier do not count.',
  }),
}));

const LimitNameEnum = builder.enumType('LimitName', {
  values: limitNames,
  description: 'What is counted of a tenant.',
});

const LimitUseObject = builder.objectRef<LimitUse>('LimitUse').implement({
  description: "A tenant's use of a limit, and its maximum.",
  fields: (t) => ({
    name: t.expose('name', { type: LimitNameEnum, description: 'What is counted.' }),
    used: t.expose('used', { type: 'BigInt', description: 'The current amount.' }),
    limit: t.expose('limit', { type: 'BigInt', nullable: true, description: 'The maximum; null for no limit.' }),
  }),
});

const RateUseObject = builder.objectRef<RateUse>('RateUse').implement({
  description: 'A rate limit of the key of this request, and how much of it is used.',
  fields: (t) => ({
    rateClass: t.exposeString('rateClass', { description: '`read`, `write`, `tag` or `query_image`.' }),
    requests: t.exposeInt('requests', { description: 'Maximum number of requests in a window.' }),
    seconds: t.exposeInt('seconds', { description: 'Length of the window.' }),
    used: t.exposeInt('used', { description: 'Requests in the current window.' }),
  }),
});

const VectorProgressObject = builder.objectRef<VectorProgress>('VectorProgress').implement({
  description: 'The embedding model that `i~` uses, and the progress of its successor.',
  fields: (t) => ({
    resource: t.exposeString('resource', { description: '`image` or `video`.' }),
    model: t.exposeString('model', { description: 'The model in use, with its version.' }),
    nextModel: t.exposeString('nextModel', {
      nullable: true,
      description:
        'The configured model, if that is another one: it is used once all records that can be analyzed have its vectors.',
    }),
    done: t.exposeInt('done', { description: 'Vectors of the configured model; for videos, those of their frames.' }),
    total: t.exposeInt('total', { description: 'Vectors of the model in use.' }),
    isIndexed: t.exposeBoolean('isIndexed', {
      description: "Whether the database has an index of the configured model's vectors; never for videos.",
    }),
  }),
});

type Asked = Readonly<{ since: Date }>;

const TenantState = builder.objectRef<Asked>('TenantState').implement({
  description: "The tenant's current work, and its limits.",
  fields: (t) => ({
    activity: t.field({
      type: ActivityObject,
      description: 'The work of the tenant.',
      resolve: ({ since }, _args, context) => activityOf(tenantOf(context), since),
    }),
    limits: t.field({
      type: [LimitUseObject],
      description: 'What the tenant has, with its limits.',
      resolve: (_state, _args, context: Context) => limitUse(tenantOf(context), viewerOf(context)),
    }),
    vectors: t.field({
      type: [VectorProgressObject],
      description: 'Embedding models in use for images and videos; empty until there are vectors.',
      resolve: (_state, _args, context: Context) => {
        const { imageAnalyzer } = context.services;
        const model = imageAnalyzer === undefined ? null : modelOf(imageAnalyzer);
        return model === null ? [] : readVectorProgress(tenantOf(context), model);
      },
    }),
    rates: t.field({
      type: [RateUseObject],
      description: 'Rate limits of this key; empty if there are none.',
      resolve: (_state, _args, context: Context) => rateUse(tenantOf(context), viewerOf(context)),
    }),
  }),
});

builder.queryField('tenantState', (t) =>
  t.field({
    type: TenantState,
    description: "The tenant's current work and its use of limits.",
    args: sinceArg,
    authScopes: { scope: 'tenant:read' },
    resolve: (_root, { since }) => ({ since: since ?? new Date() }),
  }),
);
