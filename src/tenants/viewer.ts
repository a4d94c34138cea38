import { AppError } from '../lib/errors.ts';
import type { Rates } from '../config/rates.ts';
import { roleScopes, scopeActs } from './roles.ts';
import type { Role, Scope } from './roles.ts';

/** What a key may do: its role, or of its role only these scopes. */
export type Rights = Readonly<{
  role: Role;
  /** Empty for all that the role may do. Names that are no scopes grant nothing. */
  scopes: readonly string[];
}>;

/** Who is asking: the API key of a request and the tenant it belongs to. */
export type Viewer = Rights &
  Readonly<{
    tenantId: number;
    tenantName: string;
    searchVerify: boolean;
    /** Where the days of formulas begin; null is UTC. */
    timeZone: string | null;
    /** Most images of the tenant; null without a limit. */
    maxImages: number | null;
    /** Most videos of the tenant; null without a limit. */
    maxVideos: number | null;
    /** Rate limits of the key by class; null when there is none. */
    rates: Rates | null;
    keyId: number;
    keyName: string;
    keyPrefix: string;
    expiresAt: Date | null;
  }>;

/** Whether a key may do something: its role must, and its own scopes can only take away. */
export function hasScope({ role, scopes }: Rights, scope: Scope): boolean {
  return roleScopes[role].includes(scope) && (scopes.length === 0 || scopes.includes(scope));
}

/** Every scope that a key has. */
export function scopesOf(rights: Rights): Scope[] {
  return roleScopes[rights.role].filter((scope) => hasScope(rights, scope));
}

/** The error of a viewer who lacks `scope`, by its role or by the scopes of its key. */
export function forbidden(viewer: Viewer, scope: Scope): AppError {
  const who = roleScopes[viewer.role].includes(scope) ? `Key '${viewer.keyName}'` : `Role '${viewer.role}'`;
  return new AppError('forbidden', `${who} may not ${scopeActs[scope]}`, { requiredScope: scope });
}
