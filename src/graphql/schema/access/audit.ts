import { queryFromInfo } from '@pothos/plugin-prisma';
import type { AuditEntry as AuditRow } from '../../../../prisma/generated/client/client.ts';
import { AppError } from '../../../lib/errors.ts';
import { auditActions, isAuditAction } from '../../../tenants/index.ts';
import { toKeyId } from './api-key.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import { pagesOf } from '../pages.ts';

const AuditEntry = builder.prismaObject('AuditEntry', {
  description: 'What happened, and which key did it.',
  fields: (t) => ({
    id: t.expose('id', { type: 'BigInt', description: 'Number of the entry.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened, first.' }),
    lastAt: t.expose('lastAt', { type: 'DateTime', description: 'When it happened last.' }),
    count: t.exposeInt('count', { description: 'How often: refusals of one kind are one entry an hour.' }),
    action: t.exposeString('action', { description: `One of ${Object.keys(auditActions).join(', ')}.` }),
    subject: t.exposeString('subject', { nullable: true, description: 'What it was done to, or what was refused.' }),
    keyId: t.id({
      nullable: true,
      description: '`id` of the key that asked; null is the operator at the command line.',
      resolve: ({ apiKeyId }) => (apiKeyId === null ? null : String(apiKeyId)),
    }),
    keyPrefix: t.exposeString('keyPrefix', {
      nullable: true,
      description: 'What that key is recognized by, as in `ApiKey.prefix`.',
    }),
    operationId: t.expose('operationId', { type: 'BigInt', nullable: true, description: 'The operation, if any.' }),
    requestId: t.exposeString('requestId', { nullable: true, description: 'X-Request-Id of the request, the first.' }),
    address: t.exposeString('address', { nullable: true, description: 'Where the connection came from.' }),
  }),
});

const AuditPage = builder
  .objectRef<Readonly<{ results: AuditRow[]; count: () => Promise<number> }>>('AuditPage')
  .implement({
    description: 'A page of the audit trail, newest first.',
    fields: (t) => ({
      results: t.expose('results', { type: [AuditEntry], description: 'The entries of this page.' }),
      count: t.int({ description: 'How many there are in all.', resolve: ({ count }) => count() }),
    }),
  });

const pages = pagesOf('Entries');

builder.queryField('auditTrail', (t) =>
  t.field({
    type: AuditPage,
    description: 'Who did what in the tenant, newest first, for 90 days.',
    args: {
      ...pages.args,
      action: t.arg.string({ description: 'Only entries of this action.' }),
      keyId: t.arg.id({ description: 'Only what the key with this `id` did.' }),
      after: t.arg({ type: 'DateTime', description: 'Only what happened at this moment or later.' }),
    },
    authScopes: { scope: 'audit:read' },
    resolve: async (_root, { page, limit, action, keyId, after }, context, info) => {
      pages.check({ page, limit });
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
      const results = await auditEntry.findMany({
        ...query,
        where,
        orderBy: { id: 'desc' },
        skip: (page - 1) * limit,
        take: limit,
      });
      return { results, count: () => auditEntry.count({ where }) };
    },
  }),
);

export { AuditEntry };
