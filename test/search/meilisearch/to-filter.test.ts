import { expect, it } from 'vitest';
import { readSearchQuery } from '../../../src/search/index.ts';
import { compileFilter } from '../../../src/search/meilisearch/to-filter.ts';
import type { WordForms } from '../../../src/search/meilisearch/word-forms.ts';

/** As PostgreSQL returns them. */
const forms = new Map<string, WordForms>([
  ['playas', { forms: ['play', 'playas'], plain: 'playas', isPrefix: true }],
  ['sun', { forms: ['sun'], plain: 'sun', isPrefix: true }],
  ['3e5', { forms: null, plain: null, isPrefix: false }],
]);

function filterOf(q: string, lang: 'ml' | 'es' = 'ml'): string | null {
  const { condition } = readSearchQuery(q, { resource: 'image', lang, mayVerify: false });
  return condition && compileFilter(condition, { resource: 'image', lang, forms });
}

it.each([
  ['country:ES', 'terms = "country=es"'],
  ['city:"San Sebastián"', 'terms = "city=san_sebastian"'],
  ['city:san*', 'terms STARTS WITH "city=san"'],
  ['keywords:sun,dog', '(terms = "keywords=sun") OR (terms = "keywords=dog")'],
  ['-status:archived', 'NOT (terms = "status=archived")'],
  ['width:1920..', 'n_width >= 1920'],
  ['width:1234567890123456', null],
  ['keywords.count:5..8', 'n_keywords_count >= 5 AND n_keywords_count <= 8'],
  ['date:2024-05', 'n_date_from >= 19844 AND n_date_to < 19875'],
  ['date<0987', 'n_date_to < -359033'],
  ['date>=9999-12-31', 'n_date_from >= 2932896'],
  ['created_at:2024-06-15T10:00Z..', 'n_created_at >= 1718445600000'],
  ['nsfw:true', 'f_nsfw = "true"'],
  ['nsfw:null', 'NOT (has = "nsfw")'],
  ['is:portrait', 'f_orientation = "portrait"'],
  ['has:caption', 'has = "caption"'],
  ['color:steelblue@30', '"color.steelblue" >= 30'],
  ['color:navy', '"color.navy" >= 0 OR "color.darkblue" >= 0 OR "color.midnightblue" >= 0'],
  ['sun', 'tokens IN ["=sun", "s:sun"]'],
  ['playas', 'tokens IN ["=play", "s:play", "=playas", "s:playas"]'],
  ['sun*', 'tokens STARTS WITH "=sun" OR tokens STARTS WITH "w:sun"'],
  ['*', 'tenant EXISTS'],
])('%s is %s', (q, filter) => {
  expect(filterOf(q)).toBe(filter);
});

it('asks for a word as it stands too where one language is asked for', () => {
  expect(filterOf('sun', 'es')).toBe('tokens IN ["=sun", "s:sun", "w:sun"]');
});

it.each(['"sun beach"', 'title:sun', 'wi-fi', '3e5', 'image_id=x', 'src:http*', 'caption="Sun"', 'i~12', 'sun | i~12'])(
  'leaves %s to PostgreSQL',
  (q) => expect(filterOf(q)).toBeNull(),
);
