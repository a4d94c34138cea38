import { judgeCaption, noCaptionRules, refusedWarning, wantedLangs } from '../../captions/caption-rules.ts';
import type { JudgedCaption } from '../../captions/caption-rules.ts';
import type { CaptionRules } from '../../../lib/caption-rules.ts';
import type { Caption, Language, PictureContext } from '../../facts.ts';
import type { ModelPicture, ProviderOptions } from '../provider.ts';
import { ProviderError } from '../provider.ts';
import { captionOfChat, captionOfText } from './answers.ts';
import type { CalledModel, ModelCaller } from './caller.ts';
import { askText, chat } from './chat.ts';

/** The names of languages in prompts. */
export const promptLanguages: Readonly<Record<Language, string>> = {
  en: 'English',
  es: 'Spanish',
  pt: 'Portuguese',
  fr: 'French',
  ru: 'Russian',
};

/**
 * Asks for a caption: a captioner writes in English, a language model by the tenant's rules. If an answer breaks them, the
 * model is told once what is wrong. Languages that still break the rules are left out, with a warning.
 */
export async function askCaption(
  caller: ModelCaller,
  model: CalledModel,
  picture: ModelPicture,
  { langs, context, captionRules: rules = noCaptionRules, warn, signal }: ProviderOptions,
): Promise<Caption> {
  if (model.task === 'image-to-text') return captionOfText(await askText(caller, model, picture, signal));
  const wanted = wantedLangs(langs, rules);
  const prompt = captionPrompt(wanted, context, rules);
  const answer = await chat(caller, model, picture, prompt, signal);
  const first = judgeAnswer(answer, wanted, rules);
  if (first.faults.length === 0) return first.good;
  const objection = { answer, prompt: correction(first.faults) };
  const second = judgeAnswer(await chat(caller, model, picture, prompt, signal, objection), wanted, rules);
  if (!first.isReadable && !second.isReadable) throw new ProviderError('failed', 'the model returned no captions');
  const good = { ...first.good, ...second.good };
  const faults = wanted.flatMap((lang) => (lang in good ? [] : faultsOf(lang, second, first)));
  if (faults.length > 0) warn?.(refusedWarning(faults));
  return good;
}

type JudgedAnswer = JudgedCaption & Readonly<{ isReadable: boolean }>;

function judgeAnswer(answer: string, wanted: readonly Language[], rules: CaptionRules): JudgedAnswer {
  const caption = captionOfChat(answer, wanted);
  if (caption !== null) return { ...judgeCaption(caption, wanted, rules), isReadable: true };
  return { good: {}, faults: ['the answer is not a JSON object with a sentence for each language'], isReadable: false };
}

/** The faults of a language in the last readable answer. */
function faultsOf(lang: Language, second: JudgedAnswer, first: JudgedAnswer): readonly string[] {
  return (second.isReadable ? second : first).faults.filter((fault) => fault.startsWith(`"${lang}"`));
}

function captionPrompt(langs: readonly Language[], context: PictureContext, rules: CaptionRules): string {
  const known = Object.entries(context).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const { style, words, forbidden } = rules;
  return [
    'Describe this news photograph in one factual sentence. Do not claim anything that cannot be seen, and do not name anyone.',
    ...(known.length > 0 ? [`You may use this context: ${known.join(', ')}.`] : []),
    ...(style === null ? [] : [`Write in this house style: ${style}`]),
    ...(words === null ? [] : [`Use at most ${words} words.`]),
    ...(forbidden.length === 0 ? [] : [`Never use these words: ${forbidden.join(', ')}.`]),
    `Answer with a JSON object alone, the sentence by language: ${langs
      .map((lang) => `"${lang}" (${promptLanguages[lang]})`)
      .join(', ')}.`,
  ].join('\n');
}

function correction(faults: readonly string[]): string {
  return `This cannot be used: ${faults.join('; ')}. Answer again with the whole JSON object alone, and keep every rule.`;
}
