import { tagModes } from './contract.ts';
import type { Endpoint, Input } from './endpoint.ts';
import { valueAt } from './answers.ts';
import { refuse } from '../request/refuse.ts';
import { boolean, file, oneOf, string } from './types.ts';
import type { BodyField } from './types.ts';

const text = (name: string, standard: string | null, description: string): BodyField => ({
  name,
  type: string,
  default: standard,
  description,
});
const output = (name: string, description: string): BodyField => ({
  name,
  type: boolean,
  default: false,
  example: true,
  description,
});

const tagFields: readonly BodyField[] = [
  { name: 'image', type: file, default: null, description: 'Image to analyze. Not together with `image_url`.' },
  text('image_url', null, 'Publicly reachable URL of the image.'),
  { ...text('lang', 'en', 'Language of caption and keywords.'), example: 'en' },
  {
    name: 'mode',
    type: oneOf('TagMode', tagModes),
    default: 'editorial',
    example: 'editorial',
    description: 'Tagging profile.',
  },
  text('date', '', 'Context: date, typically YYYY-MM-DD.'),
  text('event', '', 'Context: name of the event.'),
  text('city', '', 'Context: city.'),
  text('country', '', 'Context: country.'),
  output('caption', 'Include a generated caption.'),
  output('keywords', 'Include generated keywords.'),
  output('ocr', 'Include the text in the picture (OCR).'),
  output('colors', 'Include dominant colors and whether it is black and white.'),
];

function hasOneSource({ body }: Input): void {
  const { image, image_url: url } = body as Readonly<Record<string, unknown>>;
  if ((image === null) !== (url === null)) return;
  throw refuse(400, 'Provide exactly one of image or image_url', { code: 'invalid_input_combination', status: 400 });
}

/** Endpoints that take a picture without storing a record of it. */
export const taggingEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/tag/image',
    summary: 'Tag one image',
    scope: 'imgs:tag',
    parameters: [],
    body: {
      kind: 'form',
      fields: tagFields,
      description: 'Exactly one of `image` and `image_url`, and the requested outputs.',
    },
    check: hasOneSource,
    document: 'tag-image',
    answers: [valueAt(200, 'The requested outputs: null means not requested, empty means nothing found.', 'tags')],
    variables: ({ body }) => {
      const { image_url: imageUrl, mode: _mode, ...others } = body as Readonly<Record<string, unknown>>;
      return { ...others, imageUrl };
    },
    reply: ({ tags }) => ({ status: 200, body: tags }),
  },
  {
    method: 'POST',
    path: '/query_imgs',
    summary: 'Upload a query image',
    scope: 'imgs:query',
    parameters: [],
    body: {
      kind: 'form',
      fields: [{ name: 'image', type: file, required: true, description: 'Image to search with.' }],
      description: 'One file.',
    },
    document: 'upload-query-image',
    answers: [valueAt(200, 'Its hash for formulas, and when it expires.', 'queryImage')],
    variables: ({ body }) => body as Record<string, unknown>,
    reply: ({ queryImage }) => ({ status: 200, body: queryImage }),
  },
];
