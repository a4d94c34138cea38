import type { Prisma, Tenant } from '../../prisma/generated/client/client.ts';
import type { Database } from '../backing/index.ts';
import { SetupError } from '../lib/errors.ts';
import { parseRate } from '../config/rates.ts';
import {
  captionValues,
  parseCaptionLangs,
  parseCaptionStyle,
  parseCaptionWords,
  parseForbiddenWords,
} from './caption-rules.ts';
import { parseDistances } from './distances.ts';
import { getTenant } from './tenants.ts';

type Property =
  | 'searchVerify'
  | 'timeZone'
  | 'maxImages'
  | 'maxVideos'
  | 'aiRequestsDay'
  | 'aiCostDay'
  | 'captionStyle'
  | 'captionLangs'
  | 'captionWords'
  | 'captionForbidden'
  | 'analysis'
  | 'aiFill'
  | 'onDuplicate'
  | 'duplicateDistances'
  | 'historyDays'
  | 'rateRead'
  | 'rateWrite'
  | 'rateTag'
  | 'rateQueryImage';

/** A flag or limit of a tenant: its column, the syntax of its value, and its meaning. */
type TenantSetting = Readonly<{
  property: Property;
  /** Returns the value, or undefined for an invalid text. */
  parse(text: string): boolean | number | string | null | undefined;
  values: string;
  meaning: string;
  /** How null is written; `default` if absent. */
  unset?: 'none';
}>;

const flag = (text: string) =>
  text === 'true' || text === 'on' ? true : text === 'false' || text === 'off' ? false : undefined;
const flagOrDefault = (text: string) => (text === 'default' ? null : flag(text));
const count = (text: string) => (text === 'none' ? null : /^\d{1,9}$/.test(text) ? Number(text) : undefined);
const amount = (text: string) =>
  text === 'none' ? null : /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
const days = (text: string) => {
  if (text === 'default') return null;
  return /^[1-9]\d{0,3}$/.test(text) && Number(text) <= 3650 ? Number(text) : undefined;
};
const zone = (text: string) => {
  if (text === 'default') return null;
  // Newer Node takes offsets such as +02:00, which have the opposite sign in PostgreSQL.
  if (/^[+-]/.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined; // No such zone.
  }
};
const rate = (text: string) =>
  text === 'default' ? null : text === 'off' || parseRate(text) !== null ? text : undefined;

const orNone =
  <T>(parse: (text: string) => T | undefined) =>
  (text: string) =>
    text === 'none' ? null : parse(text);

const rateSetting = (property: Property, what: string): TenantSetting => ({
  property,
  parse: rate,
  values: 'a rate such as 600/min (s, min, h, day), off, default',
  meaning: `maximum rate of ${what} of one key`,
});

/** All flags and limits that an operator can set per tenant. */
export const tenantSettings: Readonly<Record<string, TenantSetting>> = {
  search_verify: { property: 'searchVerify', parse: flag, values: 'true, false', meaning: 'whether i==== is allowed' },
  time_zone: {
    property: 'timeZone',
    parse: zone,
    values: 'a time zone such as Europe/Madrid, default (UTC)',
    meaning: 'time zone for days in formulas',
  },
  max_images: {
    property: 'maxImages',
    parse: count,
    values: 'a number, none',
    meaning: 'maximum number of images',
    unset: 'none',
  },
  max_videos: {
    property: 'maxVideos',
    parse: count,
    values: 'a number, none',
    meaning: 'maximum number of videos',
    unset: 'none',
  },
  ai_requests_day: {
    property: 'aiRequestsDay',
    parse: count,
    values: 'a number, none',
    meaning: 'calls per day of models at Hugging Face and endpoints',
    unset: 'none',
  },
  ai_cost_day: {
    property: 'aiCostDay',
    parse: amount,
    values: 'a number such as 2.50, none',
    meaning: 'maximum cost per day of these calls, by AI_PRICES',
    unset: 'none',
  },
  caption_style: {
    property: 'captionStyle',
    parse: orNone(parseCaptionStyle),
    values: `${captionValues.style}, none`,
    meaning: 'house style that language models follow in captions',
    unset: 'none',
  },
  caption_langs: {
    property: 'captionLangs',
    parse: orNone(parseCaptionLangs),
    values: `${captionValues.langs}, none (all)`,
    meaning: 'languages to ask them for',
    unset: 'none',
  },
  caption_words: {
    property: 'captionWords',
    parse: orNone(parseCaptionWords),
    values: `${captionValues.words}, none`,
    meaning: 'maximum number of words in their captions',
    unset: 'none',
  },
  caption_forbidden: {
    property: 'captionForbidden',
    parse: orNone(parseForbiddenWords),
    values: `${captionValues.forbidden}, none`,
    meaning: 'words forbidden in generated captions',
    unset: 'none',
  },
  analysis: {
    property: 'analysis',
    parse: flagOrDefault,
    values: 'on, off, default',
    meaning: 'whether stored records are analyzed',
  },
  ai_fill: {
    property: 'aiFill',
    parse: flag,
    values: 'true, false',
    meaning: 'whether generated keywords and captions fill empty fields',
  },
  on_duplicate: {
    property: 'onDuplicate',
    parse: (text) => (['keep', 'flag', 'reject'].includes(text) ? text : undefined),
    values: 'keep, flag, reject',
    meaning: 'default for writes of a picture that already exists (i==)',
  },
  duplicate_distances: {
    property: 'duplicateDistances',
    parse: (text) => (text === 'default' ? null : parseDistances(text) === null ? undefined : text),
    values: 'largest PDQ distances such as 10,31 (2 to 24, 8 to 40), default',
    meaning: 'maximum distances of i=== and i==',
  },
  history_days: {
    property: 'historyDays',
    parse: days,
    values: 'a number of days from 1 to 3650, default',
    meaning: 'how long changes of records are kept',
  },
  rate_read: rateSetting('rateRead', 'reads'),
  rate_write: rateSetting('rateWrite', 'writes'),
  rate_tag: rateSetting('rateTag', 'taggings'),
  rate_query_image: rateSetting('rateQueryImage', 'query images'),
};

/** The settings of a tenant in the form in which an operator reads and writes them. */
export function describeSettings(tenant: Tenant): Record<string, boolean | number | string> {
  return Object.fromEntries(
    Object.entries(tenantSettings).map(([name, { property, unset = 'default' }]) => [name, tenant[property] ?? unset]),
  );
}

/**
 * Sets flags and limits given as `name=value`; every process applies them within a second.
 *
 * @throws SetupError that lists all invalid ones; then none is set.
 */
export async function setTenant(
  { prisma, ...database }: Database,
  name: string,
  assignments: readonly string[],
): Promise<Tenant> {
  const { id } = await getTenant({ prisma, ...database }, name);
  const data = readAssignments(assignments);
  return prisma.$transaction(async (transaction) => {
    const tenant = await transaction.tenant.update({ where: { id }, data });
    const entries = assignments.map((subject) => ({ tenantId: id, action: 'tenant.changed', subject }));
    await transaction.auditEntry.createMany({ data: entries });
    await transaction.$executeRaw`SELECT pg_notify('vitrine_access', ${`tenant:${id}`})`;
    return tenant;
  });
}

function readAssignments(assignments: readonly string[]): Prisma.TenantUpdateInput {
  const faults: string[] = [];
  const data: Record<string, unknown> = {};
  for (const assignment of assignments) {
    const [, name = assignment, text = ''] = /^([^=]*)=(.*)$/.exec(assignment) ?? [];
    const setting = Object.hasOwn(tenantSettings, name) ? tenantSettings[name] : undefined;
    const value = setting?.parse(text);
    if (setting === undefined)
      faults.push(`Unknown setting '${name}'. Settings: ${Object.keys(tenantSettings).join(', ')}`);
    else if (value === undefined) faults.push(`${assignment}: expected ${setting.values}`);
    else data[setting.property] = value;
  }
  if (faults.length > 0) throw new SetupError(`Nothing was set:\n  ${faults.join('\n  ')}`);
  return data;
}
