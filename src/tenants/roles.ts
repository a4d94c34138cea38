import type { Role } from '../../prisma/generated/client/enums.ts';

export type { Role };

/** Every right that a field of the schema can ask for. */
export const scopes = [
  'me:read',
  'imgs:read',
  'imgs:write',
  'imgs:query',
  'imgs:tag',
  'formulas:write',
  'dups:write',
  'vids:read',
  'vids:write',
  'ops:read',
  'ops:abort',
  'keys:manage',
  'audit:read',
] as const;

export type Scope = (typeof scopes)[number];

const viewer: readonly Scope[] = ['me:read', 'imgs:read', 'imgs:query', 'vids:read', 'ops:read'];
const tagger: readonly Scope[] = [...viewer, 'imgs:tag'];
const editor: readonly Scope[] = [...tagger, 'imgs:write', 'vids:write', 'formulas:write', 'dups:write', 'ops:abort'];
const admin: readonly Scope[] = [...editor, 'keys:manage', 'audit:read'];

/** What each role may do; each includes the one before it. */
export const roleScopes: Readonly<Record<Role, readonly Scope[]>> = { viewer, tagger, editor, admin };

export const roles = Object.keys(roleScopes) as readonly Role[];

/** The act that a scope allows, for messages such as "Role 'viewer' may not write images". */
export const scopeActs: Readonly<Record<Scope, string>> = {
  'me:read': 'read its own role',
  'imgs:read': 'read images',
  'imgs:write': 'write images',
  'imgs:query': 'search by a query image',
  'imgs:tag': 'tag images',
  'formulas:write': 'save formulas',
  'dups:write': 'search for duplicates and judge them',
  'vids:read': 'read videos',
  'vids:write': 'write videos',
  'ops:read': 'read operations',
  'ops:abort': 'abort operations',
  'keys:manage': 'manage API keys',
  'audit:read': 'read the audit trail',
};
