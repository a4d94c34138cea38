/** A formula, and the SQL that an expert would write for the same query over a table with its own indexes. */
export type BenchQuery = Readonly<{
  q: string;
  sortBy: string;
  /** Conditions after `tenant_id = $1`. */
  where: string;
  order: string;
  /** Whether it finds few records; it may then take at most 50 ms. */
  isSelective?: true;
}>;

const newest = 'created_at DESC, image_id';
const forms = (word: string) => `search_forms('{en,es,pt,fr,ru}', '${word}')`;
const ranked = (...queries: string[]) => `ts_rank(stems, ${queries.join(' || ')}, 1) DESC, image_id`;

/** From one word to eight conditions. */
export const queries: readonly BenchQuery[] = [
  { q: 'vista', sortBy: '', where: `stems @@ ${forms('vista')}`, order: ranked(forms('vista')) },
  {
    q: 'lighthouse',
    sortBy: '',
    where: `stems @@ ${forms('lighthouse')}`,
    order: ranked(forms('lighthouse')),
    isSelective: true,
  },
  {
    q: 'playa tiburones',
    sortBy: '',
    where: `stems @@ (${forms('playa')} && ${forms('tiburones')})`,
    order: ranked(forms('playa'), forms('tiburones')),
    isSelective: true,
  },
  {
    q: '"ciudad playa"',
    sortBy: '',
    where: `words @@ phraseto_tsquery('search_words', 'ciudad playa')`,
    order: `ts_rank(words, phraseto_tsquery('search_words', 'ciudad playa'), 1) DESC, image_id`,
  },
  { q: 'country:es', sortBy: '', where: `country = 'es'`, order: newest, isSelective: true },
  { q: 'country:es,fr,pt', sortBy: '', where: `country IN ('es', 'fr', 'pt')`, order: newest },
  { q: 'keywords:personas', sortBy: '', where: `keywords @> '{personas}'`, order: newest },
  {
    q: 'keywords:tiburones country:us',
    sortBy: 'date',
    where: `keywords @> '{tiburones}' AND country = 'us'`,
    order: 'date_start DESC NULLS LAST, image_id',
    isSelective: true,
  },
  {
    q: 'country:jp | author:"Author 17" | keywords:tiburones',
    sortBy: '',
    where: `(country = 'jp' OR author = 'Author 17' OR keywords @> '{tiburones}')`,
    order: newest,
  },
  { q: '-status:archived', sortBy: '', where: `status IS DISTINCT FROM 'archived'`, order: newest },
  {
    q: 'width:4000.. height:4000.. date:2015..2018',
    sortBy: 'date',
    where: `width >= 4000 AND height >= 4000 AND date_start >= '2015-01-01' AND date_start < '2019-01-01' AND date_end < '2019-01-01'`,
    order: 'date_start DESC NULLS LAST, image_id',
  },
  {
    q: 'is:portrait nsfw:false',
    sortBy: '',
    where: `nsfw = false AND width < height AND 100 * height > 105 * width`,
    order: newest,
  },
  { q: 'no:author', sortBy: '', where: `(author IS NULL OR author = '')`, order: newest },
  {
    q: 'title:lightho*',
    sortBy: '',
    where: `words @@ 'lightho:*'::tsquery AND search_words_of(title) @@ 'lightho:*'::tsquery`,
    order: newest,
    isSelective: true,
  },
  {
    q: 'date:2024-05',
    sortBy: 'date',
    where: `date_start >= '2024-05-01' AND date_start < '2024-06-01' AND date_end < '2024-06-01'`,
    order: 'date_start DESC NULLS LAST, image_id',
    isSelective: true,
  },
  {
    q: 'keywords.count:8.. has:headline',
    sortBy: 'title',
    where: `cardinality(keywords) >= 8 AND headline <> ''`,
    order: 'title DESC NULLS LAST, image_id',
  },
  {
    q: 'author:"Author 30"',
    sortBy: 'title',
    where: `author = 'Author 30'`,
    order: 'title DESC NULLS LAST, image_id',
    isSelective: true,
  },
  {
    q: 'playa -country:es n_faces:2..5',
    sortBy: '',
    where: `stems @@ ${forms('playa')} AND country IS DISTINCT FROM 'es' AND n_faces BETWEEN 2 AND 5`,
    order: ranked(forms('playa')),
  },
  {
    q: 'playa country:es,fr,us width:1920.. date:2010.. -status:archived nsfw:null has:caption keywords.count:1..',
    sortBy: 'date',
    where: `stems @@ ${forms('playa')} AND country IN ('es', 'fr', 'us') AND width >= 1920 AND date_start >= '2010-01-01'
      AND status IS DISTINCT FROM 'archived' AND nsfw IS NULL AND caption <> '' AND cardinality(keywords) >= 1`,
    order: 'date_start DESC NULLS LAST, image_id',
  },
  { q: '', sortBy: 'title', where: 'true', order: 'title DESC NULLS LAST, image_id' },
];

/** Formulas whose hits are counted. */
export const counted: readonly string[] = ['country:es', 'vista', '-status:archived', 'width:4000.. height:4000.. date:2015..2018', '']; // prettier-ignore

/** Facets over everything, and the expressions that an expert groups by. */
export const facets: Readonly<Record<string, string>> = {
  country: 'country',
  status: 'status',
  nsfw: 'nsfw',
  medium: 'medium',
  author: 'author',
};
