import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { plainUrl } from '../lib/plain-url.ts';
import { parseRate } from './rates.ts';
import type { Rate } from './rates.ts';

/** Several values, comma-separated. */
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

/** Networks as CIDRs, comma-separated. */
export const networks = list.refine((parts) => parts.every(isNetwork), {
  error: 'must be CIDRs separated by commas, such as 10.0.0.0/8,192.168.1.0/24',
});

/** IPv4 must have four plain numbers, because `10/8` would be read as 0.0.0.10/8, and `010.0.0.0/8` as octal. */
function isNetwork(text: string): boolean {
  return ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text);
}

/** A number of requests per time, such as `600/min`. */
export const rate = z
  .string()
  .transform((value, context): Rate => {
    const parsed = parseRate(value);
    if (parsed !== null) return parsed;
    context.addIssue({ code: 'custom', message: 'must be a rate such as 600/min; units are s, min, h, day' });
    return z.NEVER;
  })
  .optional();

const mebibyte = 2 ** 20;
const units: Readonly<Record<string, number>> = { mib: mebibyte, gib: 2 ** 30, tib: 2 ** 40 };

/** A number of bytes with a unit, at least 16 MiB and below `limit`. */
function sizeBelow(limit: number, message: string) {
  return z.string().transform((value, context): number => {
    const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([MGT]iB)$/i.exec(value.trim()) ?? [];
    const bytes = Math.floor(Number(count) * (units[unit.toLowerCase()] ?? 0));
    if (bytes >= 16 * mebibyte && bytes < limit) return bytes;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

/** Bytes on disk. */
export const diskSize = sizeBelow(Infinity, 'must be at least 16MiB, such as 500MiB or 20GiB');

/** Bytes in memory: a WebAssembly memory cannot hold more than 4 GiB. */
export const memory = sizeBelow(4096 * mebibyte, 'must be from 16MiB to below 4GiB, such as 512MiB or 2GiB');

/** Origins of web pages, comma-separated, or `*`. */
export const origins = list
  .refine((parts) => parts.every(isOrigin), {
    error: 'must be origins separated by commas, such as https://desk.example.com, without a path, or *',
  })
  .transform((parts) => parts.map((part) => (part === '*' ? part : new URL(part).origin)));

function isOrigin(text: string): boolean {
  return text === '*' || (/^https?:\/\/[^/?#@*\s]+$/i.test(text) && URL.canParse(text));
}

/** The address of a PostgreSQL server; the host may be omitted if it is reached through a socket. */
export const postgresUrl = z
  .string()
  .refine((value) => /^postgres(?:ql)?:\/\//.test(value), { error: 'must start with postgres:// or postgresql://' })
  .refine((value) => !/^postgres(?:ql)?:\/\//.test(value) || URL.canParse(value.replace('@/', '@socket/')), {
    error: 'is not a valid URL; in a password write @ : / ? # % as %40 %3A %2F %3F %23 %25',
  })
  // Prisma's own parameter, which `prisma init` sets to public; the driver ignores it.
  .refine((value) => !/[?&]schema=(?!public(?:&|$))/.test(value), {
    error: 'has the parameter schema, which has no effect; instead: ALTER ROLE … SET search_path = …',
  });

/** Addresses of several PostgreSQL servers, comma-separated; a comma in a password is written as %2C. */
export const postgresUrls = list.pipe(
  z.array(postgresUrl).max(16, { error: 'must be at most 16 addresses, separated by commas' }),
);

/** The address of an HTTP server. */
export const httpUrl = z
  .string()
  .refine((value) => /^https?:\/\//.test(value), { error: 'must start with http:// or https://' })
  .refine((value) => !/^https?:\/\//.test(value) || URL.canParse(value), { error: 'is not a valid URL' });

/** The address that clients use; paths are appended to it. */
export const baseUrl = httpUrl.refine((value) => !URL.canParse(value) || isPlain(new URL(value)), {
  error: 'must be an address such as https://pictures.example.com, without user, query and fragment',
});

function isPlain({ username, password, search, hash, href }: URL): boolean {
  return [username, password, search, hash].every((part) => part === '') && !/[?#]$/.test(href);
}

/** Addresses of one server, or of several that share the work, comma-separated. */
export const httpUrls = list.pipe(
  z
    .tuple([httpUrl], httpUrl)
    .refine((urls) => urls.length <= 16, { error: 'must be at most 16 addresses, separated by commas' })
    .refine((urls) => hasNoTwins(urls), { error: 'has an address twice' }),
);

function hasNoTwins(urls: readonly string[]): boolean {
  const valid = urls.filter((url) => URL.canParse(url));
  return new Set(valid.map(plainUrl)).size === valid.length;
}

/** What is wrong with a value, in plain words. Only numbers and choices are quoted: other values may be secrets. */
export function issueInWords(issue: z.core.$ZodIssue, given: string | undefined): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' ? `'${given}' is not a whole number` : `'${given}' is not a number`;
    case 'too_small':
      return issue.origin === 'number' ? `must be at least ${issue.minimum}` : issue.message;
    case 'too_big':
      return issue.origin === 'number' ? `must be at most ${issue.maximum}` : issue.message;
    case 'invalid_value':
      return `must be ${new Intl.ListFormat('en', { type: 'disjunction' }).format(issue.values.map(String))}, not '${given}'`;
    default:
      return issue.message;
  }
}

/** The address of a Redis server. */
export const redisUrl = z
  .string()
  .refine((value) => /^rediss?:\/\//.test(value), { error: 'must start with redis:// or rediss://' })
  .refine((value) => !/^rediss?:/.test(value) || isServerAddress(value), {
    error: 'must have a host, and may have a port and a database number: redis://:password@host:6379/0',
  });

/** ioredis takes the path as a database number, and silently uses database 0 for any other path. */
function isServerAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, pathname } = new URL(text);
  return hostname !== '' && /^(?:|\/\d*)$/.test(pathname);
}
