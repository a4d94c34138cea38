import { languages } from '../../lib/languages.ts';
import { fold } from '../formula/words.ts';

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
let known: ReadonlyMap<string, readonly string[]> | null = null;

/** Maps the folded ISO 3166 code and names of each country to its code and its names in all languages. */
function countries(): ReadonlyMap<string, readonly string[]> {
  if (known !== null) return known;
  const names = languages.map((lang) => new Intl.DisplayNames([lang], { type: 'region', fallback: 'none' }));
  const found = new Map<string, readonly string[]>();
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const own = names.flatMap((each) => each.of(code) ?? []);
    const all = [...new Set([...own, code])];
    if (own.length > 0) for (const name of all) if (!found.has(fold(name))) found.set(fold(name), all);
  }
  known = found;
  return found;
}

/** Returns the other names of a country, given its two-letter ISO code or its name in one of five languages. */
export function countryNames(text: string): readonly string[] {
  return (countries().get(fold(text)) ?? []).filter((name) => fold(name) !== fold(text));
}
