export { openAccess } from './access.ts';
export type { Access } from './access.ts';
export { createApiKey, findValidKey, grantApiKey, revokeApiKey, revokeTenantKey, rotateApiKey } from './api-keys.ts';
export type { IssuedKey } from './api-keys.ts';
export { auditActions, isAuditAction } from './audit-actions.ts';
export type { AuditAction } from './audit-actions.ts';
export { actorValues, keepAuditDays, operator, recordAudit } from './audit.ts';
export type { Actor } from './audit.ts';
export type { Authenticator } from './authenticate.ts';
export { captionLimits, createCaptionRules, findCaptionRules, setCaptionRules } from './caption-rules.ts';
export { distanceBounds, parseDistances } from './distances.ts';
export type { Distances } from './distances.ts';
export {
  declaredTenantStatements,
  dryRunOf,
  forTenant,
  tenantQuery,
  tenantRead,
  tenantStatement,
  tenantStatementOf,
  transactionOf,
} from './for-tenant.ts';
export type { TenantDb, TenantStatement } from './for-tenant.ts';
export { rateUse } from './limiter.ts';
export { createModelBudget, modelRequestsToday } from './model-budget.ts';
export type { RateUse } from './limiter.ts';
export { rateClassOf } from './rates.ts';
export { readCount, readPage } from './read-page.ts';
export type { Page, PageAsked } from './read-page.ts';
export { roles, roleScopes, scopes } from './roles.ts';
export type { Role, Scope } from './roles.ts';
export { endSession, sessionCredential, sessionSeconds, startSession } from './sessions.ts';
export { describeSettings, setTenant, tenantSettings } from './settings.ts';
export { createTenant, ensureFirstTenant, getTenant } from './tenants.ts';
export type { FirstKey } from './tenants.ts';
export { forbidden, grantedScopes, hasScope, scopesOf } from './viewer.ts';
export type { Viewer } from './viewer.ts';
export { serviceKey } from './service-key.ts';
