import { AppError } from '../lib/errors.ts';
import { didYouMean, suggest } from '../lib/suggest.ts';
import { roles, roleScopes, scopes as allScopes } from './roles.ts';
import type { Role, Scope } from './roles.ts';
import { grantedScopes, grants, hasScope, scopesOf } from './viewer.ts';
import type { Rights, Viewer } from './viewer.ts';

const maxNameLength = 100;

/** The requested rights of a new key: a role, or scopes, or a role restricted to scopes. */
export type RightsRequest = Readonly<{
  role?: Role | null | undefined;
  scopes?: readonly string[] | null | undefined;
}>;

/**
 * Determines the role and scopes of a key. Given only scopes, it gets the smallest role that includes them all, so
 * that every key has a role.
 *
 * @throws AppError `invalid_argument` if both are missing, for unknown scopes, and for scopes beyond the role.
 */
export function settleRights({ role, scopes }: RightsRequest): Rights {
  const wanted = [...new Set(scopes)];
  if (scopes && wanted.length === 0) throw invalid('scopes', 'scopes must have at least one scope, or be omitted');
  if (!role && wanted.length === 0) throw invalid('role', 'a key needs a role or scopes', `Roles: ${roles.join(', ')}`);
  const unknown = wanted.find((scope) => !allScopes.some((name) => name === scope));
  if (unknown !== undefined) {
    const hint = didYouMean(suggest(unknown, allScopes), 'Use scopes of the list, or a role');
    throw invalid('scopes', `unknown scope '${unknown}'; scopes: ${allScopes.join(', ')}`, hint);
  }
  const covers = (candidate: Role) => wanted.every((scope) => roleScopes[candidate].includes(scope as Scope));
  const settled = role ?? roles.find(covers) ?? 'admin';
  if (!covers(settled)) {
    const beyond = wanted.filter((scope) => !roleScopes[settled].includes(scope as Scope));
    const hint = `Leave them out, or create the key with the role '${roles.find(covers) ?? 'admin'}'`;
    throw invalid(
      'scopes',
      `role '${settled}' does not have ${beyond.join(', ')}; scopes can only narrow a role`,
      hint,
    );
  }
  return { role: settled, scopes: wanted };
}

/** A key can neither grant rights that it lacks nor a later expiry than its own. @throws AppError `forbidden`. */
export function assertMayGrant(viewer: Viewer, rights: Rights, expiresAt: Date | null): void {
  // A role includes scopes that only the first tenant may use; a list of scopes asks for them explicitly.
  const beyond =
    grantedScopes(rights).find((scope) => !grants(viewer, scope)) ??
    rights.scopes.find((scope) => !hasScope(viewer, scope as Scope));
  if (beyond !== undefined) {
    const message = `Key '${viewer.keyName}' cannot grant ${beyond}: it does not have it`;
    const argument = rights.scopes.length > 0 ? 'scopes' : 'role';
    const hint = `It can grant ${scopesOf(viewer).join(', ')}`;
    throw new AppError('forbidden', message, { requiredScope: beyond, argument, hint });
  }
  if (viewer.expiresAt !== null && (expiresAt === null || expiresAt > viewer.expiresAt)) {
    const message = `Key '${viewer.keyName}' cannot create a key that expires later than itself`;
    const latest = viewer.expiresAt.toISOString();
    throw new AppError('forbidden', message, { argument: 'expiresAt', latest, hint: `At the latest ${latest}` });
  }
}

/** @throws AppError `invalid_argument` for a name that is empty, too long or not printable. */
export function checkKeyName(name: string): void {
  const isPrintable = name.isWellFormed() && !/\p{Cc}/u.test(name);
  if (name.trim() === '' || name.length > maxNameLength || !isPrintable) {
    throw invalid('name', `name must have 1 to ${maxNameLength} characters, and no control characters`);
  }
}

/** @throws AppError `invalid_argument` for a time in the past. */
export function checkExpiry(expiresAt: Date | null): void {
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    throw invalid('expiresAt', 'expiresAt must be in the future');
  }
}

function invalid(argument: string, message: string, hint?: string): AppError {
  return new AppError('invalid_argument', message, { argument, ...(hint !== undefined && { hint }) });
}
