import { AppError } from '../errors.ts';
import { roleScopes, scopeActs } from './roles.ts';
import type { Role, Scope } from './roles.ts';

/** Who is asking: the API key of a request and the tenant it belongs to. */
export type Viewer = Readonly<{
  tenantId: number;
  tenantName: string;
  searchVerify: boolean;
  keyId: number;
  keyName: string;
  keyPrefix: string;
  role: Role;
  expiresAt: Date | null;
}>;

export function hasScope(viewer: Viewer, scope: Scope): boolean {
  return roleScopes[viewer.role].includes(scope);
}

/** The error of a viewer whose role lacks `scope`. */
export function forbidden(viewer: Viewer, scope: Scope): AppError {
  return new AppError('forbidden', `Role '${viewer.role}' may not ${scopeActs[scope]}`, { requiredScope: scope });
}
