import type { AuditAction } from '../../../src/tenants/audit-actions.ts';
import { t } from '../i18n/index.svelte.ts';

/** Actions whose subject is a code, or begins with one before a colon and what people have named. */
const coded: ReadonlySet<string> = new Set<AuditAction>([
  'operation.accepted',
  'verdict.given',
  'verdict.withdrawn',
  'access.forbidden',
  'access.rate_limited',
  'access.invalid_key',
]);

type Entry = Readonly<{ action: string; subject?: string | null | undefined }>;

/** The subject of an entry of the audit trail, in the language of the console, apart from what people have named. */
export function subjectOf({ action, subject }: Entry): string {
  const text = subject ?? '';
  const sentences = t().values.auditedSentences[action as AuditAction] ?? [];
  if (!coded.has(action)) return sentences.reduce((said, [written, own]) => said.replace(written, own), text);
  const [code = '', ...named] = text.split(': ');
  const words = t().values.audited;
  return words[text] ?? [words[code] ?? code, ...named].join(': ');
}
