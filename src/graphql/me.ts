import { maxElements } from '../operations/index.ts';
import { roleScopes } from '../tenants/index.ts';
import type { Viewer } from '../tenants/index.ts';
import { builder } from './builder.ts';
import { viewerOf } from './context.ts';

const KeyInfo = builder.objectRef<Viewer>('KeyInfo').implement({
  description: 'What may be shown of an API key.',
  fields: (t) => ({
    prefix: t.exposeString('keyPrefix', { description: 'Its first characters.' }),
    name: t.exposeString('keyName', { description: 'The name it was created with.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it stops being valid.' }),
  }),
});

const Limits = builder.objectRef<Viewer>('Limits').implement({
  description: 'Limits of requests.',
  fields: (t) => ({
    batchElements: t.int({ description: 'Most elements of one write.', resolve: () => maxElements }),
  }),
});

const Me = builder.objectRef<Viewer>('Me').implement({
  description: 'Who is asking: the API key of the request.',
  fields: (t) => ({
    clientName: t.exposeString('keyName', { description: 'Name of the client, which is the name of its key.' }),
    roleName: t.exposeString('role', { description: 'viewer, tagger, editor or admin.' }),
    tenant: t.exposeString('tenantName', { description: 'The tenant whose records are seen.' }),
    scopes: t.stringList({ description: 'What the role may do.', resolve: ({ role }) => [...roleScopes[role]] }),
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
