import { z } from 'zod';
import { languages } from '../lib/languages.ts';
import { dataOf, ToolError } from './caller.ts';
import type { ToolCaller } from './caller.ts';
import { fieldsGuide, grammarGuide } from './formula-guide.ts';
import { toolLimits } from './limits.ts';
import { toText, withPictures } from './pictures.ts';
import type { ToolContent, WithPreview } from './pictures.ts';
import { tool } from './tool.ts';
import type { Tool } from './tool.ts';

const limit = z
  .int()
  .min(1)
  .max(toolLimits.records)
  .default(10)
  .describe(`How many records to return, at most ${toolLimits.records}.`);
const previews = z
  .int()
  .min(0)
  .max(toolLimits.previews)
  .default(0)
  .describe(`For how many records to show a small picture, at most ${toolLimits.previews}.`);
const picture = z
  .string()
  .max(
    toolLimits.pictureCharacters,
    `Larger than ${toolLimits.pictureCharacters} characters\nHint: send a smaller copy, or give image_url, which has no such limit.`,
  )
  .describe(`At most ${toolLimits.pictureCharacters} characters, which are 750 kB; image_url takes larger ones.`);
const sortFields = ['date', 'title', 'city', 'country', 'author', 'width', 'height'] as const;

type Page = Readonly<{ count: number; results: readonly WithPreview[] }>;

/** What a formula finds; if that is nothing, what would find something. */
async function search(
  caller: ToolCaller,
  {
    q,
    shown,
    ...options
  }: Readonly<{ q: string; shown: number; limit: number; sortBy?: string | undefined; sortOrder?: string }>,
): Promise<readonly ToolContent[]> {
  const variables = { q, sortOrder: 'desc', ...options };
  const { count, results } = (await dataOf(caller, 'search', variables))['images'] as Page;
  const { records, pictures } = await withPictures(results, shown, caller);
  if (count > 0 || q === '') return [toText({ count, records }), ...pictures];
  const { explanation } = await dataOf(caller, 'explain', { q });
  const { sentence, suggestions, corrections, warnings } = explanation as Readonly<Record<string, unknown>>;
  return [toText({ count, sentence, suggestions, corrections, warnings })];
}

const quoted = (text: string) => `"${text.replaceAll(/["“”\\]/g, '\\$&')}"`;

const kinds = { theme: '~', subject: '~~', scene: '~~~', copy: '=', same: '==', exact: '===' } as const;
const kindNames = Object.keys(kinds) as (keyof typeof kinds)[];

export const readTools: readonly Tool[] = [
  tool({
    name: 'search',
    description:
      'Searches images by a formula. If nothing is found, it suggests formulas that find something. See formula_help.',
    input: z.object({
      formula: z.string().default('').describe('The search formula; empty for everything.'),
      limit,
      previews,
      sort_by: z.enum(sortFields).optional().describe('A field to sort by; by default the best matches first.'),
      sort_order: z.enum(['asc', 'desc']).default('desc'),
    }),
    run: ({ formula: q, limit, previews: shown, sort_by: sortBy, sort_order: sortOrder }, caller) =>
      search(caller, { q, limit, shown, sortBy, sortOrder }),
  }),
  tool({
    name: 'explain',
    description: 'Says what a formula means and how many images each part of it finds.',
    input: z.object({ formula: z.string().describe('The search formula.') }),
    run: async ({ formula: q }, caller) => [toText((await dataOf(caller, 'explain', { q }))['explanation'])],
  }),
  tool({
    name: 'formula_help',
    description: 'The language of search formulas, and its fields.',
    input: z.object({}),
    run: async () => [{ type: 'text', text: `${grammarGuide()}\n\n${fieldsGuide()}` }],
  }),
  tool({
    name: 'get',
    description: 'One image with its fields and a preview.',
    input: z.object({ image_id: z.string(), preview: z.boolean().default(true) }),
    run: async ({ image_id: id, preview }, caller) => {
      const { image } = await dataOf(caller, 'get', { id });
      if (image === null || image === undefined)
        throw new ToolError(`No image has the id ${id}\nHint: find ids by search.`);
      const { records, pictures } = await withPictures([image as WithPreview], preview ? 1 : 0, caller);
      return [toText(records[0]), ...pictures];
    },
  }),
  tool({
    name: 'tag_image',
    description:
      'Analyzes a picture without storing it: caption, keywords, text in it, colors. Give exactly one of image_url and image_base64.',
    input: z.object({
      image_url: z.url().optional(),
      image_base64: picture.optional(),
      lang: z.enum(languages).default('en').describe('Language of caption and keywords.'),
    }),
    run: async ({ image_url: imageUrl, image_base64: text, lang }, caller) => {
      const image = text === undefined ? undefined : { name: 'picture', bytes: Buffer.from(text, 'base64') };
      return [toText((await dataOf(caller, 'tag', { image, imageUrl, lang }))['tags'])];
    },
  }),
  tool({
    name: 'find_similar',
    description:
      'Finds images like another: of the same theme, subject or scene, or copies of it. By image_id, image_url, or a text that describes it.',
    input: z.object({
      image_id: z.string().optional(),
      image_url: z.url().optional(),
      text: z.string().optional().describe('Not for copies.'),
      kind: z.enum(kindNames).default('theme').describe('copy also finds edited copies; exact only the same pixels.'),
      and: z.string().default('').describe('A formula that must match, too.'),
      limit,
      previews,
    }),
    run: ({ image_id: id, image_url: url, text, kind, and, limit, previews: shown }, caller) => {
      const given = Object.entries({ id, url, text }).filter(([, value]) => value !== undefined);
      const [[scheme, value] = []] = given;
      if (given.length !== 1) throw new ToolError('Give exactly one of image_id, image_url and text');
      const term = `i${kinds[kind]}${scheme}:${quoted(String(value))}`;
      return search(caller, { q: and === '' ? term : `${term} (${and})`, limit, shown });
    },
  }),
];
