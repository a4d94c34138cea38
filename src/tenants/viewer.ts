import { AppError } from '../lib/errors.ts';
import type { Rates } from '../config/rates.ts';
import { roleScopes, scopeActs } from './roles.ts';
import type { Role, Scope } from './roles.ts';

/** The rights of a key: its role, restricted to these scopes. */
export type Rights = Readonly<{
  role: Role;
  /** Empty means all scopes of the role. Unknown names grant nothing. */
  scopes: readonly string[];
}>;

/** The caller of a request: its API key and the tenant of the key. */
export type Viewer = Rights &
  Readonly<{
    tenantId: number;
    tenantName: string;
    searchVerify: boolean;
    /** Time zone in which the days of formulas begin; null for UTC. */
    timeZone: string | null;
    /** Maximum number of images of the tenant; null for no limit. */
    maxImages: number | null;
    /** Maximum number of videos of the tenant; null for no limit. */
    maxVideos: number | null;
    /** Maximum number of daily calls to models at Hugging Face and endpoints; null for no limit. */
    aiRequestsDay: number | null;
    /** Rate limits of the key by class; null if there are none. */
    rates: Rates | null;
    keyId: number;
    keyName: string;
    keyPrefix: string;
    expiresAt: Date | null;
  }>;

/** The tenant of the service's operators. */
export const firstTenant = 'default';

/** Scopes that affect all tenants: only keys of the first tenant may use them. */
const ofAllTenants: ReadonlySet<Scope> = new Set<Scope>(['service:manage']);

/** Whether rights include a scope: the role must have it, and a key's scopes only ever narrow its role. */
export function grants({ role, scopes }: Rights, scope: Scope): boolean {
  return roleScopes[role].includes(scope) && (scopes.length === 0 || scopes.includes(scope));
}

/** All scopes that rights include. */
export function grantedScopes(rights: Rights): Scope[] {
  return roleScopes[rights.role].filter((scope) => grants(rights, scope));
}

/** Whether the viewer may use a scope. */
export function hasScope(viewer: Viewer, scope: Scope): boolean {
  return grants(viewer, scope) && (viewer.tenantName === firstTenant || !ofAllTenants.has(scope));
}

/** All scopes that the viewer may use. */
export function scopesOf(viewer: Viewer): Scope[] {
  return roleScopes[viewer.role].filter((scope) => hasScope(viewer, scope));
}

/** The error for a viewer that lacks `scope`, because of its role or the scopes of its key. */
export function forbidden(viewer: Viewer, scope: Scope): AppError {
  const who = roleScopes[viewer.role].includes(scope) ? `Key '${viewer.keyName}'` : `Role '${viewer.role}'`;
  const hint = ofAllTenants.has(scope) ? { hint: `Use an admin key of the tenant '${firstTenant}'` } : {};
  return new AppError('forbidden', `${who} may not ${scopeActs[scope]}`, { requiredScope: scope, ...hint });
}
