import {
  additiveImageFields,
  defaultImageFields,
  explanationLanguages,
  imageFacets,
  imageFields,
  imageSorts,
  imageWriteFields,
} from './contract.ts';
import type { ServedEndpoint } from './endpoint.ts';
import { valueAt } from './answers.ts';
import { oneOf } from './types.ts';
import { search, searchLang } from './parameters.ts';
import { imageKind } from './record-kinds.ts';
import { recordEndpoints } from './records.ts';

const explain: ServedEndpoint = {
  method: 'GET',
  path: '/imgs/explain',
  summary: 'Explain a search formula',
  scope: 'imgs:read',
  document: 'explain-formula',
  answers: [valueAt(200, 'The explanation of the formula.', 'explanation')],
  parameters: [
    search('Formula; empty for every image.'),
    searchLang,
    {
      name: 'language',
      in: 'query',
      type: oneOf('LangExplanation', explanationLanguages),
      default: 'en',
      description: 'Language of the explanation.',
    },
  ],
  variables: ({ values }) => ({ q: values['q'], lang: values['lang'], language: values['language'] }),
  reply: (data) => ({ status: 200, body: data['explanation'] }),
};

const records = recordEndpoints({
  ...imageKind,
  comparesPictures: true,
  fields: imageWriteFields,
  readFields: imageFields,
  additiveFields: additiveImageFields,
  defaultFields: defaultImageFields,
  sorts: imageSorts,
  sortDescription: 'Field to sort by; empty for the best matches first. `similarity` needs a similarity term in `q`.',
  facets: imageFacets,
});

export const imageEndpoints: readonly ServedEndpoint[] = [explain, ...records];
