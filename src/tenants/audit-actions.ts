/** The actions of the audit trail, with their meaning. */
export const auditActions = {
  'key.created': 'an API key was created; subject: the key',
  'key.revoked': 'an API key was revoked; subject: the key',
  'key.rotated': 'an API key was rotated; subject: the old key',
  'tenant.created': 'the tenant was created',
  'tenant.changed': 'a flag or limit was set; subject: what was set',
  'operation.accepted': 'a write was accepted; subject: its kind',
  'operation.aborted': 'an operation was aborted',
  'operation.undone': 'an undo of an operation was accepted; subject: the undone operation',
  'record.restored': 'a restoration of a record was accepted; subject: the record and the moment',
  'record.purged': 'a purge of records was accepted; subject: their number and ids',
  'record.exported': 'an export of records was accepted; subject: what was requested',
  'verdict.given': 'a verdict on two images was given; subject: the verdict and their ids',
  'verdict.withdrawn': 'a verdict on two images was withdrawn; subject: the verdict and their ids',
  'backup.begun': 'the download of a backup of all tenants began; subject: the folders in it',
  'backup.completed': 'a backup was sent completely; subject: its digest',
  'search.reindexed': 'a rebuild of Meilisearch indexes was requested; subject: their records',
  'collection.created': 'a collection was created; subject: its name',
  'collection.renamed': 'a collection was renamed; subject: both names',
  'collection.deleted': 'a collection was deleted; subject: its name',
  'collection.changed': 'records of a collection were added, moved or removed; subject: its name and how many',
  'webhook.added': 'a webhook was added; subject: the webhook',
  'webhook.changed': 'a webhook was changed, enabled or disabled; subject: the webhook',
  'webhook.removed': 'a webhook was removed; subject: the webhook',
  'webhook.rotated': 'the secret of a webhook was rotated; subject: the webhook',
  'webhook.replayed': 'messages that were given up were sent again; subject: the webhook and how many',
  'webhook.switched_off': 'the service disabled a webhook that failed for long; subject: the webhook',
  'access.forbidden': 'a key lacked a scope; subject: the scope',
  'access.rate_limited': 'a key exceeded its rate limit; subject: the class',
  'access.invalid_key': 'an invalid key was used; subject: why',
} as const;

export type AuditAction = keyof typeof auditActions;

export function isAuditAction(name: string): name is AuditAction {
  return Object.hasOwn(auditActions, name);
}
