import { didYouMean, suggest } from '../lib/suggest.ts';
import { withoutEmpty } from './environment.ts';
import type { Environment } from './environment.ts';

/** Minimum length of names to compare: shorter ones resemble too many others (HOME is two letters away from HOST). */
const shortest = 6;
/** Below this length, only one letter may be wrong: FTP_URL is not meant to be SMTP_URL. */
const shortestOfTwo = 9;

/**
 * Describes variables whose name almost matches a setting that is not set itself: a letter or two differ, or only
 * upper and lower case.
 *
 * @param known the names of settings.
 */
export function describeMisspelled(environment: Environment, known: readonly string[]): string[] {
  const given = withoutEmpty(environment);
  const unset = known.filter((name) => name.length >= shortest && given[name] === undefined);
  return Object.keys(given)
    .filter((name) => name.length >= shortest && !known.includes(name))
    .map((name) => [name, suggest(name.toUpperCase(), unset, name.length < shortestOfTwo ? 1 : 2)] as const)
    .filter(([, meant]) => meant.length > 0)
    .map(([name, meant]) => `${name} is not a setting of Vitrine. ${didYouMean(meant, '')}`);
}
