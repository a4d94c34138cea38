import type { ModelPicture } from '../provider.ts';
import { textOfChat } from './answers.ts';
import type { CalledModel, ModelCaller } from './caller.ts';

/** What was answered to the last prompt, and what is to be said to that. */
export type Objection = Readonly<{ answer: string; prompt: string }>;

/** A picture as requests carry it. */
export const jpegOf = ({ jpeg }: ModelPicture): Blob => new Blob([new Uint8Array(jpeg)], { type: 'image/jpeg' });

/** What a captioner says of a picture, or a reader reads in it. */
export function askText(
  caller: ModelCaller,
  model: CalledModel,
  picture: ModelPicture,
  signal: AbortSignal,
): Promise<string> {
  return caller.call(model, signal, async (client, target, options) => {
    const { generated_text } = await client.imageToText({ ...target, data: jpegOf(picture) }, { ...options });
    return generated_text ?? '';
  });
}

/** What a language model answers to a prompt about a picture; with an objection, to that. */
export function chat(
  caller: ModelCaller,
  model: CalledModel,
  { jpeg }: ModelPicture,
  prompt: string,
  signal: AbortSignal,
  objection?: Objection,
): Promise<string> {
  return caller.call(model, signal, async (client, target, options, cost) => {
    const url = `data:image/jpeg;base64,${jpeg.toString('base64')}`;
    const content = [
      { type: 'text' as const, text: prompt },
      { type: 'image_url' as const, image_url: { url } },
    ];
    const messages = [
      { role: 'user', content },
      ...(objection === undefined
        ? []
        : [
            { role: 'assistant', content: objection.answer },
            { role: 'user', content: objection.prompt },
          ]),
    ];
    const asked = { ...target, messages, max_tokens: 1000, temperature: 0 };
    const { text, tokensIn, tokensOut } = textOfChat(await client.chatCompletion(asked, { ...options }));
    cost.tokensIn += tokensIn;
    cost.tokensOut += tokensOut;
    return text;
  });
}
