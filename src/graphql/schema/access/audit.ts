import { queryFromInfo } from '@pothos/plugin-prisma';
import { AppError } from '../../../lib/errors.ts';
import { auditActions, isAuditAction } from '../../../tenants/index.ts';
import { toKeyId } from './api-key.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import { newestFirst, pagesOf, pageType } from '../pages.ts';

const AuditEntry = builder.prismaObject('AuditEntry', {
  description: 'An action and the key that did it.',
  fields: (t) => ({
    id: t.expose('id', { type: 'BigInt', description: 'Number of the entry.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened first.' }),
    lastAt: t.expose('lastAt', { type: 'DateTime', description: 'When it happened last.' }),
    count: t.exposeInt('count', { description: 'How often it happened: refusals of one kind are one entry per hour.' }),
    action: t.exposeString('action', { description: `One of ${Object.keys(auditActions).join(', ')}.` }),
    subject: t.exposeString('subject', { nullable: true, description: 'Object of the action, or what was refused.' }),
    keyId: t.id({
      nullable: true,
      description: '`id` of the key; null for the command line.',
      resolve: ({ apiKeyId }) => (apiKeyId === null ? null : String(apiKeyId)),
    }),
    keyPrefix: t.exposeString('keyPrefix', {
      nullable: true,
      description: 'Prefix of the key, as in `ApiKey.prefix`.',
    }),
    operationId: t.expose('operationId', { type: 'BigInt', nullable: true, description: 'The operation, if any.' }),
    requestId: t.exposeString('requestId', { nullable: true, description: 'X-Request-Id of the first request.' }),
    address: t.exposeString('address', { nullable: true, description: 'IP address of the client.' }),
  }),
});

const AuditPage = pageType(AuditEntry, {
  name: 'AuditPage',
  description: 'A page of the audit trail, newest first.',
  results: 'The entries of this page.',
});

const pages = pagesOf('Entries');

builder.queryField('auditTrail', (t) =>
  t.field({
    type: AuditPage,
    description: 'The audit trail of the tenant for 90 days, newest first.',
    args: {
      ...pages.args,
      action: t.arg.string({ description: 'Only entries of this action.' }),
      keyId: t.arg.id({ description: 'Only actions of the key with this `id`.' }),
      after: t.arg({ type: 'DateTime', description: 'Only actions at or after this time.' }),
    },
    authScopes: { scope: 'audit:read' },
    resolve: async (_root, { action, keyId, after, ...page }, context, info) => {
      pages.check(page);
      if (action && !isAuditAction(action)) {
        const message = `unknown action '${action}'; actions: ${Object.keys(auditActions).join(', ')}`;
        throw new AppError('invalid_argument', message, { argument: 'action' });
      }
      const { auditEntry } = tenantOf(context).prisma;
      const where = {
        ...(action && { action }),
        ...(typeof keyId === 'string' && { apiKeyId: toKeyId(keyId) }),
        ...(after && { lastAt: { gte: after } }),
      };
      const query = queryFromInfo({ context, info, path: ['results'] });
      const results = await auditEntry.findMany({ ...query, where, ...newestFirst(page) });
      return { results, count: () => auditEntry.count({ where }) };
    },
  }),
);
