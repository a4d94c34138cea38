/** The kinds of notifications and what each reports; `of` says which columns a row has in addition to `data`. */
export const notificationKinds = {
  'record.matched': { of: 'record', description: 'A record began to match a formula that watches.' },
  'record.unmatched': {
    of: 'record',
    description: 'A record no longer matches a formula that watches, or was deleted.',
  },
  'operation.finished': { of: 'operation', description: 'An operation has ended or was aborted.' },
  'duplicate.found': { of: 'record', description: 'A stored picture is a copy of an existing one.' },
  'analysis.failed': { of: 'record', description: 'A stored record could not be analyzed, or only in part.' },
} as const satisfies Readonly<Record<string, Readonly<{ of: 'record' | 'operation'; description: string }>>>;

export type NotificationKind = keyof typeof notificationKinds;

export const notificationKindNames = Object.keys(notificationKinds) as NotificationKind[];
