import type { ModelPicture } from '../provider.ts';
import { textOfChat } from './answers.ts';
import type { CalledModel, ModelCaller } from './caller.ts';

/** The answer to the last prompt, and the reply to that answer. */
type Objection = Readonly<{ answer: string; prompt: string }>;

/** A picture as the body of a request. */
export const jpegOf = ({ jpeg }: ModelPicture): Blob => new Blob([new Uint8Array(jpeg)], { type: 'image/jpeg' });

/** Returns a captioner's caption of a picture, or the text that a reader finds in it. */
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

/** Returns a language model's answer to a prompt about a picture; with an objection, its answer to that. */
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
