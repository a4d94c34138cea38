import { tmpdir } from 'node:os';
import process from 'node:process';
import { packageRoot } from '../../src/lib/package-root.ts';

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What no error may reveal to a client: implementation, paths and SQL. */
const secrets: Readonly<Record<string, RegExp>> = {
  'a stack trace': /(?:\n|\\n)\s*at \S|\(\S+:\d+:\d+\)|\.[cm]?[jt]s:\d+(?::\d+)?\b/,
  'a module': /node_modules|node:internal|@prisma\/|PrismaClient|invocation in/,
  SQL: /\bSELECT\b.+\bFROM\b|\bINSERT INTO\b|\bUPDATE\b.+\bSET\b|\bDELETE FROM\b|\bON CONFLICT\b/s,
  'an error of PostgreSQL':
    /syntax error at|relation \\?"|column \\?"|violates [\w-]+ constraint|duplicate key value|SQLSTATE|invalid (?:byte sequence|input syntax)|of relation|Database error/,
  'a folder of the server': new RegExp(
    [packageRoot, process.cwd(), `${tmpdir()}/vitrine-`, '/var/lib/', '/usr/lib', '/proc/self'].map(escaped).join('|'),
  ),
  'an address of the network': /\bE(?:CONNREFUSED|HOSTUNREACH)[^"]*\d+\.\d+\.\d+\.\d+|postgres(?:ql)?:\/\//,
};

/** The internals that the text of a reply reveals. */
export function leaksIn(text: string): string[] {
  return Object.entries(secrets)
    .filter(([, pattern]) => pattern.test(text))
    .map(([name]) => name);
}

/** Whether a reply contains an error, by its status or its body. */
export function reportsAnError(status: number, text: string): boolean {
  return status >= 400 || text.includes('"errors":[{');
}
