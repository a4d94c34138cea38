import type { Role } from '../../prisma/generated/client/enums.ts';

export type { Role };

/** All permissions that a field of the schema can require. */
export const scopes = [
  'me:read',
  'imgs:read',
  'imgs:write',
  'imgs:query',
  'imgs:tag',
  'formulas:write',
  'collections:write',
  'dups:write',
  'vids:read',
  'vids:write',
  'uploads:write',
  'exports:write',
  'ops:read',
  'ops:abort',
  'ops:undo',
  'records:purge',
  'records:import',
  'keys:manage',
  'webhooks:manage',
  'audit:read',
  'tenant:read',
  'tenant:write',
  'service:manage',
] as const;

export type Scope = (typeof scopes)[number];

const viewer: readonly Scope[] = ['me:read', 'imgs:read', 'imgs:query', 'vids:read', 'ops:read'];
const tagger: readonly Scope[] = [...viewer, 'imgs:tag'];
const editor: readonly Scope[] = [
  ...tagger,
  'imgs:write',
  'vids:write',
  'uploads:write',
  'exports:write',
  'formulas:write',
  'collections:write',
  'dups:write',
  'ops:abort',
  'ops:undo',
];
const admin: readonly Scope[] = [
  ...editor,
  'records:purge',
  'records:import',
  'keys:manage',
  'webhooks:manage',
  'audit:read',
  'tenant:read',
  'tenant:write',
  'service:manage',
];

/** The scopes of each role; each role includes those of the one before it. */
export const roleScopes: Readonly<Record<Role, readonly Scope[]>> = { viewer, tagger, editor, admin };

export const roles = Object.keys(roleScopes) as readonly Role[];

/** What a scope allows, for messages such as "Role 'viewer' may not write images". */
export const scopeActs: Readonly<Record<Scope, string>> = {
  'me:read': 'read its own role',
  'imgs:read': 'read images',
  'imgs:write': 'write images',
  'imgs:query': 'search by a query image',
  'imgs:tag': 'tag images',
  'formulas:write': 'save formulas',
  'collections:write': 'write collections',
  'dups:write': 'search for duplicates and judge them',
  'vids:read': 'read videos',
  'vids:write': 'write videos',
  'uploads:write': 'upload files',
  'exports:write': 'export records',
  'ops:read': 'read operations',
  'ops:abort': 'abort operations',
  'ops:undo': 'undo operations',
  'records:purge': 'purge records',
  'records:import': 'supply analyses of records',
  'keys:manage': 'manage API keys',
  'webhooks:manage': 'manage webhooks',
  'audit:read': 'read the audit trail',
  'tenant:read': 'read the state of the tenant',
  'tenant:write': 'change settings of the tenant',
  'service:manage': 'manage the service',
};
