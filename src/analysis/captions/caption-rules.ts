import type { CaptionRules } from '../../lib/caption-rules.ts';
import type { Caption, Language, Outcomes, Warning } from '../facts.ts';
import { isOfLanguage } from './is-of-language.ts';

/** The default rules, for tenants that have set none. */
export const noCaptionRules: CaptionRules = { style: null, langs: [], words: null, forbidden: [] };

/** Captions that follow the rules, and the reasons why others do not, each with its language. */
export type JudgedCaption = Readonly<{ good: Caption; faults: readonly string[] }>;

/** The requested languages that the tenant's rules name; all requested ones if the rules name none of them. */
export function wantedLangs(asked: readonly Language[], { langs }: CaptionRules): readonly Language[] {
  const wanted = asked.filter((lang) => langs.includes(lang));
  return wanted.length === 0 ? asked : wanted;
}

/** Checks the captions of a model that was asked for `langs`. A missing language is a fault only if the rules name it. */
export function judgeCaption(caption: Caption, langs: readonly Language[], rules: CaptionRules): JudgedCaption {
  const good: Partial<Record<Language, string>> = {};
  const faults: string[] = [];
  for (const lang of langs) {
    const text = caption[lang];
    const fault = faultOf(text, lang, rules);
    if (fault !== null) faults.push(`"${lang}" ${fault}`);
    else if (text !== undefined) good[lang] = text;
  }
  return { good, faults };
}

function faultOf(text: string | undefined, lang: Language, { langs, words, forbidden }: CaptionRules): string | null {
  if (text === undefined) return langs.includes(lang) ? 'is missing' : null;
  if (langs.length > 0 && !isOfLanguage(text, lang)) return 'is written in another language';
  const count = text.match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0;
  if (words !== null && count > words) return `has ${count} words, and ${words} are allowed`;
  const word = forbiddenIn(text, forbidden);
  return word === null ? null : `has the forbidden word "${word}"`;
}

/** The first forbidden word that occurs in a text as a whole word, in any case; null if none does. */
function forbiddenIn(text: string, forbidden: readonly string[]): string | null {
  return forbidden.find((word) => patternOf(word).test(text.normalize('NFC'))) ?? null;
}

function patternOf(word: string): RegExp {
  const escaped = word
    .normalize('NFC')
    .split(/\s+/)
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`))
    .join(String.raw`\s+`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])`, 'iu');
}

/** The warning that requested captions were not kept. */
export function refusedWarning(faults: readonly string[]): Warning {
  return { code: 'caption_refused', message: `Generated captions were not kept: ${faults.join('; ')}` };
}

/** Removes captions with forbidden words from outcomes, whichever analyzer wrote them, and adds a warning. */
export function withoutForbidden(
  outcomes: Outcomes,
  rules: CaptionRules,
): Readonly<{ outcomes: Outcomes; warnings: readonly Warning[] }> {
  const { caption } = outcomes;
  if (caption?.result === undefined || rules.forbidden.length === 0) return { outcomes, warnings: [] };
  const langs = Object.keys(caption.result) as Language[];
  const { good, faults } = judgeCaption(caption.result, langs, { ...noCaptionRules, forbidden: rules.forbidden });
  if (faults.length === 0) return { outcomes, warnings: [] };
  const warning = refusedWarning(faults);
  const kept = { ...caption, result: good, warnings: [...(caption.warnings ?? []), warning] };
  return { outcomes: { ...outcomes, caption: kept }, warnings: [warning] };
}
