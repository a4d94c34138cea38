import { didYouMean, suggest } from '../lib/suggest.ts';
import { withoutEmpty } from './environment.ts';
import type { Environment } from './environment.ts';

/** Shorter names resemble too many others: HOME is two letters away from HOST. */
const shortest = 6;
/** Names with fewer characters have one letter wrong at most: FTP_URL is not meant to be SMTP_URL. */
const shortestOfTwo = 9;

/**
 * Describes the variables whose name is almost that of a setting, which is not set itself: a letter or two differ, or
 * uppercase and lowercase.
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
