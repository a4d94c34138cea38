import { LRUCache } from 'lru-cache';
import type { Database } from '../backing/index.ts';
import type { CaptionRules } from '../lib/caption-rules.ts';
import { AppError } from '../lib/errors.ts';
import { languages } from '../lib/languages.ts';
import type { Language } from '../lib/languages.ts';
import { recordAudit } from './audit.ts';
import type { Actor } from './audit.ts';
import { forTenant, tenantStatement } from './for-tenant.ts';
import type { TenantDb } from './for-tenant.ts';

/** Limits of the rules that a tenant can set. */
export const captionLimits = { style: 500, leastWords: 3, words: 200, forbidden: 50, word: 40 } as const;

/** Requested rules: an absent rule stays unchanged; null or an empty list removes it. */
type CaptionRulesRequest = Readonly<{
  style?: string | null | undefined;
  langs?: readonly string[] | null | undefined;
  words?: number | null | undefined;
  forbidden?: readonly string[] | null | undefined;
}>;

type Row = Readonly<{ style: string | null; langs: string | null; words: number | null; forbidden: string | null }>;

/** Valid values of each rule, for messages and help. */
export const captionValues = {
  style: `up to ${captionLimits.style} characters in one line`,
  langs: `some of ${languages.join(',')}`,
  words: `a number of words from ${captionLimits.leastWords} to ${captionLimits.words}`,
  forbidden: `up to ${captionLimits.forbidden} words of up to ${captionLimits.word} characters, separated by commas`,
} as const;

/** A house style in the form in which it is stored; undefined if invalid. */
export function parseCaptionStyle(text: string): string | undefined {
  const style = text.trim();
  const isOne = style !== '' && style.length <= captionLimits.style && style.isWellFormed() && !/\p{Cc}/u.test(style);
  return isOne ? style : undefined;
}

/** Languages in the form in which they are stored: no duplicates, in the order of the table; undefined if invalid. */
export function parseCaptionLangs(text: string): string | undefined {
  const all = text.split(',').map((each) => each.trim());
  if (!all.every((each) => (languages as readonly string[]).includes(each))) return undefined;
  return languages.filter((each) => all.includes(each)).join(',');
}

/** The maximum number of words in a caption; undefined if invalid. */
export function parseCaptionWords(text: string): number | undefined {
  const words = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return words >= captionLimits.leastWords && words <= captionLimits.words ? words : undefined;
}

/** Forbidden words in the form in which they are stored, without duplicates; undefined if invalid. */
export function parseForbiddenWords(text: string): string | undefined {
  const words = [...new Set(text.split(',').map((each) => each.trim().replaceAll(/\s+/g, ' ')))];
  const isWord = (word: string) =>
    word.length <= captionLimits.word && word.isWellFormed() && /[\p{L}\p{N}]/u.test(word) && !/\p{Cc}/u.test(word);
  return words.length <= captionLimits.forbidden && words.every(isWord) ? words.join(',') : undefined;
}

const columns = `caption_style AS style, caption_langs AS langs, caption_words AS words, caption_forbidden AS forbidden`;

const findRules = tenantStatement('caption-rules', `SELECT ${columns} FROM tenant WHERE id = $1`);

/** Without the lock, concurrent changes to different rules would undo each other. */
const lockRules = tenantStatement('lock-caption-rules', `SELECT ${columns} FROM tenant WHERE id = $1 FOR UPDATE`);

/** The last value notifies other processes; if that gets lost, they see the change a second later. */
const updateRules = tenantStatement(
  'set-caption-rules',
  `UPDATE tenant SET caption_style = $2, caption_langs = $3, caption_words = $4, caption_forbidden = $5
   WHERE id = $1 RETURNING ${columns}, pg_notify('vitrine_access', 'tenant:' || id)`,
);

/** Reads a tenant's caption rules. */
export async function findCaptionRules(db: TenantDb): Promise<CaptionRules> {
  return toRules((await db.query<Row>(findRules)).rows[0]);
}

function toRules(row: Row | undefined): CaptionRules {
  return {
    style: row?.style ?? null,
    langs: (row?.langs?.split(',') ?? []) as Language[],
    words: row?.words ?? null,
    forbidden: row?.forbidden?.split(',') ?? [],
  };
}

/** Changes a tenant's caption rules. @throws AppError `invalid_argument` */
export function setCaptionRules(db: TenantDb, asked: CaptionRulesRequest, by: Actor): Promise<CaptionRules> {
  const { style, langs, words, forbidden } = asked;
  const checked = {
    style: check('style', style, parseCaptionStyle),
    langs: check('langs', textOf(langs), parseCaptionLangs),
    words: check('words', words === null ? null : words?.toString(), parseCaptionWords),
    forbidden: check('forbidden', textOf(forbidden), parseForbiddenWords),
  };
  return db.transaction(async (client) => {
    const [former] = (await db.query<Row>(lockRules, [], client)).rows;
    const names = ['style', 'langs', 'words', 'forbidden'] as const;
    const values = names.map((name) => (checked[name] === undefined ? former?.[name] : checked[name]));
    const [row] = (await db.query<Row>(updateRules, values, client)).rows;
    for (const name of names) {
      if (checked[name] === undefined) continue;
      const subject = `caption_${name}=${checked[name] ?? 'none'}`;
      await recordAudit(db, by, { action: 'tenant.changed', subject }, client);
    }
    return toRules(row);
  });
}

/** An empty list removes the rule. */
function textOf(list: readonly string[] | null | undefined): string | null | undefined {
  return list?.length === 0 ? null : list?.join(',');
}

function check<T>(
  argument: keyof typeof captionValues,
  text: string | null | undefined,
  parse: (text: string) => T | undefined,
): T | null | undefined {
  if (text === null || text === undefined) return text;
  const value = parse(text);
  if (value !== undefined) return value;
  throw new AppError('invalid_argument', `${argument}: expected ${captionValues[argument]}`, { argument });
}

const cachedTenants = 1_000;
const cacheMs = 1_000;

/** Reads tenants' rules for whatever writes captions, at most once a second per tenant. */
export function createCaptionRules(database: Database): (owner: number) => Promise<CaptionRules> {
  const cache = new LRUCache<number, Promise<CaptionRules>>({ max: cachedTenants, ttl: cacheMs });
  return (owner) => {
    const known = cache.get(owner);
    if (known !== undefined) return known;
    const found = findCaptionRules(forTenant(database, owner));
    cache.set(owner, found);
    found.catch(() => cache.delete(owner));
    return found;
  };
}
