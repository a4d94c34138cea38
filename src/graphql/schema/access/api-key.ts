import { queryFromInfo } from '@pothos/plugin-prisma';
import { Role } from '../../../../prisma/generated/client/enums.ts';
import { grantApiKey, revokeTenantKey, rotateApiKey, grantedScopes } from '../../../tenants/index.ts';
import type { IssuedKey } from '../../../tenants/index.ts';
import { builder } from '../builder.ts';
import { actorOf, tenantOf, viewerOf } from '../context.ts';
import { dryRunArgs, writeFor } from '../dry-run.ts';
import { newestFirst, pagesOf, pageType } from '../pages.ts';

const RoleEnum = builder.enumType(Role, {
  name: 'Role',
  description:
    '`viewer` reads and searches, `tagger` also tags, `editor` also writes, aborts and judges duplicates, `admin` also ' +
    'manages keys and reads the audit trail.',
});

builder.prismaObject('KeyUse', {
  description: 'How often a key was used on a day.',
  fields: (t) => ({
    day: t.string({ description: 'The day in UTC, YYYY-MM-DD.', resolve: ({ day }) => day.toISOString().slice(0, 10) }),
    count: t.exposeInt('count', { description: 'Requests of that day.' }),
  }),
});

/** Number of days of use that a key reports. */
const daysOfUse = 31;

const ApiKey = builder.prismaObject('ApiKey', {
  description: 'An API key of the tenant, without its secret.',
  fields: (t) => ({
    id: t.id({ description: 'Number of the key.', resolve: ({ id }) => String(id) }),
    name: t.exposeString('name', { description: 'Name of the client that uses it.' }),
    prefix: t.exposeString('prefix', {
      description: 'Public prefix of the key: its first characters, or random ones if the secret was chosen.',
    }),
    role: t.expose('role', { type: RoleEnum, description: 'Its role.' }),
    scopes: t.stringList({
      description: 'Scopes of the key: all of its role, or fewer.',
      resolve: (key) => grantedScopes(key),
    }),
    isValid: t.boolean({
      description: 'Whether it is neither revoked nor expired.',
      resolve: ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > new Date()),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it expires.' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was revoked.' }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true, description: 'When it was last used.' }),
    uses: t.relation('uses', {
      query: { orderBy: { day: 'desc' }, take: daysOfUse },
      description: 'Requests per day, latest first.',
    }),
  }),
});

const ApiKeyPage = pageType(ApiKey, {
  name: 'ApiKeyPage',
  description: 'A page of API keys, newest first.',
  results: 'The keys of this page.',
});

const IssuedApiKey = builder.objectRef<IssuedKey>('IssuedApiKey').implement({
  description: 'A new API key with its secret, which cannot be read again.',
  fields: (t) => ({
    secret: t.exposeString('secret', {
      description: 'The key to send as API-Key; it is shown only here. A dry run returns no valid key.',
    }),
    key: t.expose('key', { type: ApiKey, description: 'The key as listed.' }),
  }),
});

const pages = pagesOf('Keys');

/** Returns the number in an id; -1, which no key has, for any other text. */
export function toKeyId(id: string): number {
  return /^\d{1,9}$/.test(id) ? Number(id) : -1;
}

builder.queryField('apiKeys', (t) =>
  t.field({
    type: ApiKeyPage,
    description: 'API keys of the tenant, newest first.',
    args: pages.args,
    authScopes: { scope: 'keys:manage' },
    resolve: async (_root, page, context, info) => {
      pages.check(page);
      const { apiKey } = tenantOf(context).prisma;
      const query = queryFromInfo({ context, info, path: ['results'] });
      const results = await apiKey.findMany({ ...query, ...newestFirst(page) });
      return { results, count: () => apiKey.count() };
    },
  }),
);

const keyId = 'Number of the key.';

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: IssuedApiKey,
    description: 'Creates an API key. A key cannot grant more scopes than it has, nor a later expiry than its own.',
    args: {
      name: t.arg.string({ required: true, description: 'Name of the client that will use it.' }),
      role: t.arg({ type: RoleEnum, description: 'Its role; by default the smallest role with the scopes.' }),
      scopes: t.arg.stringList({ description: 'Scopes that narrow the role; by default all scopes of the role.' }),
      expiresAt: t.arg({ type: 'DateTime', description: 'When it expires; never by default.' }),
      ...dryRunArgs,
    },
    authScopes: { scope: 'keys:manage' },
    resolve: (_root, { dryRun, ...grant }, context) =>
      writeFor(context, dryRun, (db) => grantApiKey(db, viewerOf(context), grant, actorOf(context))),
  }),
  revokeApiKey: t.field({
    type: ApiKey,
    nullable: true,
    description: 'Revokes a key, everywhere within a second. Null if the tenant has no such key.',
    args: { id: t.arg.id({ required: true, description: keyId }), ...dryRunArgs },
    authScopes: { scope: 'keys:manage' },
    resolve: (_root, { id, dryRun }, context) =>
      writeFor(context, dryRun, (db) => revokeTenantKey(db, toKeyId(id), actorOf(context))),
  }),
  rotateApiKey: t.field({
    type: IssuedApiKey,
    nullable: true,
    description: 'Replaces a key with a new one that has the same rights. Null if the tenant has no such key.',
    args: {
      id: t.arg.id({ required: true, description: keyId }),
      overlapSeconds: t.arg.int({
        defaultValue: 0,
        required: true,
        description: 'How long the old key stays valid, up to 30 days.',
      }),
      ...dryRunArgs,
    },
    authScopes: { scope: 'keys:manage' },
    resolve: (_root, { id, overlapSeconds, dryRun }, context) => {
      const rotation = { id: toKeyId(id), overlapSeconds, by: actorOf(context), viewer: viewerOf(context) };
      return writeFor(context, dryRun, (db) => rotateApiKey(db, rotation));
    },
  }),
}));
