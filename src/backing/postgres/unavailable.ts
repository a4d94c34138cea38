/** Timeouts of the database, so that no request ever waits forever. */
export const databaseTimeouts = {
  /** For a connection: a free one of the pool, or a new one. */
  connectMs: 5_000,
  /** For a statement, as measured by PostgreSQL. */
  statementMs: 30_000,
  /** For a statement, as measured by us, in case the server no longer answers at all. */
  answerMs: 35_000,
} as const;

export type DatabaseTimeouts = Readonly<Record<keyof typeof databaseTimeouts, number>>;

/**
 * SQLSTATE classes and codes that mean that a server cannot serve now: lost, full, starting, stopping, read-only
 * replica, access refused.
 */
const states = /^(?:08|28|53|58)...$|^57P0[1-5]$|^25006$|^3D000$/;
const systemCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
]);
/** TLS errors that mean that a server is not trusted. */
const distrust = /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT|EPROTO$)/;
/** Prisma's codes for the same. */
const prismaCodes = new Set(['P1000', 'P1001', 'P1002', 'P1003', 'P1008', 'P1010', 'P1011', 'P1017', 'P2024', 'P2037']);
/** Messages of errors for which the driver has no code. */
const messages =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|The server does not support SSL)/;

/** Whether an error means that the database is unavailable, as opposed to a bad request. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, cause, message, syscall } = error as NodeJS.ErrnoException & { cause?: unknown };
  if (typeof code === 'string') {
    if (states.test(code) || prismaCodes.has(code) || isDistrusted(error)) return true;
    if (systemCodes.has(code) && (code !== 'ENOENT' || syscall === 'connect')) return true;
  }
  return messages.test(message) || isUnavailable(cause);
}

/** Whether an error means that a server's certificate is not trusted, or that it does not support TLS. */
export function isDistrusted(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && distrust.test(code);
}

/** What to do if Node does not know the authority that issued the certificate of Redis or Meilisearch. */
export const trustHint = 'Set the authority of its certificate in NODE_EXTRA_CA_CERTS, here and for every process.';

/** Whether PostgreSQL stopped a statement because it took too long. */
export function isOverdue(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === '57014';
}

/** Whether PostgreSQL refused a row because another one has a value that must be unique. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === '23505';
}

/** PostgreSQL's error codes for a text, plain or in JSON, with a character that it cannot store. */
const unholdable = ['22021', '22P05'];

/**
 * Whether PostgreSQL refused a statement because of a NUL in a parameter; no text of a record or a request may have
 * one.
 */
export function holdsNul(error: unknown): boolean {
  return error instanceof Error && unholdable.includes((error as NodeJS.ErrnoException).code ?? '');
}
