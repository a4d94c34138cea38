import { maxElements } from '../../../operations/index.ts';
import type { Rate, RateClass } from '../../../config/rates.ts';
import { scopesOf } from '../../../tenants/index.ts';
import type { Viewer } from '../../../tenants/index.ts';
import { builder } from '../builder.ts';
import { viewerOf } from '../context.ts';

const KeyInfo = builder.objectRef<Viewer>('KeyInfo').implement({
  description: 'What may be shown of an API key.',
  fields: (t) => ({
    prefix: t.exposeString('keyPrefix', { description: 'What it is recognized by, as in `ApiKey.prefix`.' }),
    name: t.exposeString('keyName', { description: 'The name it was created with.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it stops being valid.' }),
  }),
});

const rateFields: readonly (readonly [name: string, rateClass: RateClass, description: string])[] = [
  ['read', 'read', 'Reads of this key.'],
  ['write', 'write', 'Writes of this key.'],
  ['tag', 'tag', 'Taggings of this key.'],
  ['queryImage', 'query_image', 'Query images of this key.'],
];

const RateLimit = builder.objectRef<Rate>('RateLimit').implement({
  description: 'So many requests in so many seconds.',
  fields: (t) => ({
    requests: t.exposeInt('requests', { description: 'Most requests.' }),
    seconds: t.exposeInt('seconds', { description: 'Length of the window that they are counted in.' }),
  }),
});

const Limits = builder.objectRef<Viewer>('Limits').implement({
  description: 'Limits of requests; null where there is none.',
  fields: (t) => ({
    batchElements: t.int({ description: 'Most elements of one write.', resolve: () => maxElements }),
    maxImages: t.exposeInt('maxImages', { nullable: true, description: 'Most images of the tenant.' }),
    maxVideos: t.exposeInt('maxVideos', { nullable: true, description: 'Most videos of the tenant.' }),
    ...Object.fromEntries(
      rateFields.map(([name, rateClass, description]) => [
        name,
        t.field({ type: RateLimit, nullable: true, description, resolve: ({ rates }) => rates?.[rateClass] ?? null }),
      ]),
    ),
  }),
});

const Me = builder.objectRef<Viewer>('Me').implement({
  description: 'Who is asking: the API key of the request.',
  fields: (t) => ({
    clientName: t.exposeString('keyName', { description: 'Name of the client, which is the name of its key.' }),
    roleName: t.exposeString('role', { description: 'viewer, tagger, editor or admin.' }),
    tenant: t.exposeString('tenantName', { description: 'The tenant whose records are seen.' }),
    scopes: t.stringList({ description: 'What the key may do.', resolve: (viewer) => scopesOf(viewer) }),
    key: t.field({ type: KeyInfo, description: 'The key itself.', resolve: (viewer) => viewer }),
    limits: t.field({ type: Limits, description: 'Limits of requests.', resolve: (viewer) => viewer }),
  }),
});

builder.queryField('me', (t) =>
  t.field({
    type: Me,
    description: 'The role that belongs to the API key of this request.',
    authScopes: { scope: 'me:read' },
    resolve: (_root, _args, context) => viewerOf(context),
  }),
);
