/** The result of one check, and how to fix what is wrong. */
export type Finding = Readonly<{
  subject: string;
  state: 'ok' | 'note' | 'fault';
  text: string;
  remedy?: string;
}>;

const marks = { ok: '✓', note: '·', fault: '✗' } as const;

/** A finding as readable text. */
export function describeFinding({ subject, state, text, remedy }: Finding): string {
  const line = `${marks[state]} ${subject.padEnd(11)} ${text}`;
  return remedy === undefined ? line : `${line}\n  ${' '.repeat(11)} → ${remedy}`;
}

/** The reason for a failure, in one line. */
export function reasonOf(error: unknown): string {
  const { code, message, cause } = error as Error & { code?: string; cause?: { code?: string; message?: string } };
  return (cause?.code ?? cause?.message ?? message) || (code ?? 'no answer');
}

/** An address without its password. */
export function withoutPassword(address: string): string {
  if (!URL.canParse(address)) return 'the address';
  const url = new URL(address);
  return `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`;
}
