import { maxElements } from '../../../operations/index.ts';
import type { Rate, RateClass } from '../../../config/rates.ts';
import { scopesOf } from '../../../tenants/index.ts';
import type { Viewer } from '../../../tenants/index.ts';
import { builder } from '../builder.ts';
import { viewerOf } from '../context.ts';

const KeyInfo = builder.objectRef<Viewer>('KeyInfo').implement({
  description: 'The public part of an API key.',
  fields: (t) => ({
    prefix: t.exposeString('keyPrefix', { description: 'Prefix of the key, as in `ApiKey.prefix`.' }),
    name: t.exposeString('keyName', { description: 'The name it was created with.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it expires.' }),
  }),
});

const rateFields: readonly (readonly [name: string, rateClass: RateClass, description: string])[] = [
  ['read', 'read', 'Reads of this key.'],
  ['write', 'write', 'Writes of this key.'],
  ['tag', 'tag', 'Taggings of this key.'],
  ['queryImage', 'query_image', 'Query images of this key.'],
];

const RateLimit = builder.objectRef<Rate>('RateLimit').implement({
  description: 'A number of requests per window.',
  fields: (t) => ({
    requests: t.exposeInt('requests', { description: 'Maximum number of requests.' }),
    seconds: t.exposeInt('seconds', { description: 'Length of the window in seconds.' }),
  }),
});

const Limits = builder.objectRef<Viewer>('Limits').implement({
  description: 'Limits of requests; null means no limit.',
  fields: (t) => ({
    batchElements: t.int({ description: 'Maximum elements of one write.', resolve: () => maxElements }),
    maxImages: t.exposeInt('maxImages', { nullable: true, description: 'Maximum images of the tenant.' }),
    maxVideos: t.exposeInt('maxVideos', { nullable: true, description: 'Maximum videos of the tenant.' }),
    ...Object.fromEntries(
      rateFields.map(([name, rateClass, description]) => [
        name,
        t.field({ type: RateLimit, nullable: true, description, resolve: ({ rates }) => rates?.[rateClass] ?? null }),
      ]),
    ),
  }),
});

const Me = builder.objectRef<Viewer>('Me').implement({
  description: 'The caller: the API key of the request.',
  fields: (t) => ({
    clientName: t.exposeString('keyName', { description: 'Name of the client, which is the name of its key.' }),
    roleName: t.exposeString('role', { description: 'viewer, tagger, editor or admin.' }),
    tenant: t.exposeString('tenantName', { description: 'The tenant of the key.' }),
    scopes: t.stringList({ description: 'Scopes of the key.', resolve: (viewer) => scopesOf(viewer) }),
    key: t.field({ type: KeyInfo, description: 'The API key.', resolve: (viewer) => viewer }),
    limits: t.field({ type: Limits, description: 'Limits of requests.', resolve: (viewer) => viewer }),
  }),
});

builder.queryField('me', (t) =>
  t.field({
    type: Me,
    description: 'The role of the API key of this request.',
    authScopes: { scope: 'me:read' },
    resolve: (_root, _args, context) => viewerOf(context),
  }),
);
