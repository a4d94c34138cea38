import { parseRate, rateClasses } from '../config/rates.ts';
import type { RateClass, Rates } from '../config/rates.ts';
import type { Scope } from './roles.ts';

/** Scopes with a rate limit of their own; all others count as reads or writes. */
const ownClass: Partial<Readonly<Record<Scope, RateClass>>> = { 'imgs:tag': 'tag', 'imgs:query': 'query_image' };

/** The class that requests for a root field of the schema count toward. */
export function rateClassOf(scope: Scope, isWrite: boolean): RateClass {
  return ownClass[scope] ?? (isWrite ? 'write' : 'read');
}

/** A tenant's own rates by class, as text: null means the default, `off` means no limit. */
type OwnRates = Readonly<Record<RateClass, string | null>>;

/** The limits of a tenant's keys; null if there are none, which callers check first. */
export function mergeRates(own: OwnRates, defaults: Rates): Rates | null {
  const entries = rateClasses.flatMap((name) => {
    const text = own[name];
    const rate = text === null ? defaults[name] : parseRate(text);
    return rate === undefined || rate === null ? [] : [[name, rate] as const];
  });
  return entries.length === 0 ? null : Object.fromEntries(entries);
}
