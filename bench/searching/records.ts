/**
 * Synthetic records whose values are distributed as in a real catalog: a few values are very frequent and many are
 * rare (Zipf), most optional fields are often missing, and the newest years have the most pictures.
 */

type Lang = 'en' | 'es' | 'pt' | 'fr' | 'ru';

/** Words that the formulas of the bench use, at their ranks among all words. */
const planted: Readonly<Record<Lang, readonly string[]>> = {
  en: ['the', 'photograph', 'view', 'people', 'city', 'beach', 'street', 'sunset', 'mountain', 'river', 'children'],
  es: ['de', 'fotografía', 'vista', 'personas', 'ciudad', 'playa', 'calle', 'canción', 'montaña', 'río', 'niños'],
  pt: ['da', 'imagem', 'vista', 'pessoas', 'cidade', 'praia', 'rua', 'informação', 'montanha', 'rio', 'crianças'],
  fr: ['le', 'image', 'vue', 'gens', 'ville', 'plage', 'rue', 'église', 'montagne', 'rivière', 'enfants'],
  ru: ['в', 'снимок', 'вид', 'люди', 'город', 'пляж', 'улица', 'песня', 'гора', 'река', 'дети'],
};
/** Rare words: in about one of several thousand records. */
const rare: Readonly<Record<Lang, string>> = {
  en: 'lighthouse',
  es: 'tiburones',
  pt: 'farol',
  fr: 'phare',
  ru: 'маяк',
};
const rareRank = 2500;
const wordsPerLanguage = 12_000;

const syllables: Readonly<Record<Lang, readonly string[]>> = {
  en: ['ber', 'ton', 'wick', 'har', 'lem', 'sid', 'dow', 'fin', 'gra', 'mel', 'nor', 'pas', 'ro', 'ste', 'tal', 'ven'],
  es: ['ba', 'cor', 'del', 'fe', 'gua', 'lla', 'mon', 'na', 'pe', 'qui', 'ra', 'sol', 'ta', 'ver', 'zu', 'mi'],
  pt: ['ba', 'cão', 'del', 'fe', 'lha', 'mon', 'nho', 'pe', 'que', 'ra', 'sol', 'ta', 'ver', 'zi', 'mi', 'do'],
  fr: ['beau', 'cha', 'deu', 'fé', 'gra', 'lo', 'mon', 'noi', 'pe', 'quo', 'ra', 'sou', 'ti', 'ver', 'vi', 'bre'],
  ru: ['ба', 'вер', 'го', 'дом', 'жа', 'зи', 'ко', 'ле', 'мо', 'на', 'по', 'ра', 'со', 'ти', 'у', 'чи'],
};
const endings: Readonly<Record<Lang, readonly string[]>> = {
  en: ['', 's', 'ing', 'ed', 'er', 'ly', 'ness'],
  es: ['', 's', 'ción', 'dor', 'mente', 'ando'],
  pt: ['', 's', 'ção', 'dor', 'mente', 'ando'],
  fr: ['', 's', 'tion', 'eur', 'ment', 'ant'],
  ru: ['', 'ы', 'ость', 'ный', 'ание', 'ов'],
};

/** Random numbers that are the same in every run: mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A rank below `size`, drawn so that the k-th is about as frequent as 1/k. */
function zipf(random: () => number, size: number): number {
  return Math.min(size - 1, Math.floor(size ** random()) - 1);
}

function vocabularyOf(lang: Lang): string[] {
  const random = createRandom(lang.charCodeAt(0) * 7 + lang.charCodeAt(1));
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? '';
  const words = Array.from({ length: wordsPerLanguage }, () => {
    const stem = Array.from({ length: 2 + Math.floor(random() * 2) }, () => pick(syllables[lang])).join('');
    return stem + pick(endings[lang]);
  });
  for (const [rank, word] of planted[lang].entries()) words[rank] = word;
  words[rareRank] = rare[lang];
  return words;
}

const langs: readonly Lang[] = ['es', 'es', 'es', 'es', 'en', 'en', 'en', 'pt', 'fr', 'ru'];
const vocabularies = Object.fromEntries((['en', 'es', 'pt', 'fr', 'ru'] as const).map((lang) => [lang, vocabularyOf(lang)])) as Record<Lang, string[]>; // prettier-ignore

const countries = ['es', 'fr', 'us', 'pt', 'it', 'de', 'gb', 'mx', 'ar', 'br', 'ru', 'cl', 'co', 'pe', 'ma', 'jp'];
const sizes = [[6000, 4000], [5472, 3648], [4000, 6000], [1920, 1080], [4032, 3024], [3024, 4032], [1200, 1200], [8000, 3000]] as const; // prettier-ignore
const statuses = ['published', 'published', 'published', 'published', 'published', 'published', 'archived', 'draft'];

/** One record as `writeImages` takes it, keyed by column name. */
export type BenchRecord = Readonly<Record<string, unknown>>;

export function createRecords(from: number, to: number): BenchRecord[] {
  return Array.from({ length: to - from }, (_, index) => createRecord(from + index));
}

function createRecord(n: number): BenchRecord {
  const random = createRandom(n * 2654435761);
  const some = (share: number) => random() < share;
  const lang = langs[Math.floor(random() * langs.length)] ?? 'es';
  const text = (least: number, most: number) => {
    const length = least + Math.floor(random() * (most - least));
    return Array.from({ length }, () => vocabularies[lang][zipf(random, wordsPerLanguage)]).join(' ');
  };
  const keywordOf = () => vocabularies[lang][zipf(random, 4000) + 1] ?? '';
  const [width, height] = sizes[zipf(random, sizes.length)] ?? sizes[0];
  const country = zipf(random, 60);
  const author = zipf(random, 4000);
  const day = new Date(Date.UTC(2026, 10, 1) - Math.floor(random() ** 3 * 25_000) * 86_400_000).toISOString();
  const date = some(0.1) ? null : day.slice(0, 10);
  return {
    image_id: `image-${n}`,
    lang,
    title: text(3, 8),
    headline: some(0.4) ? text(4, 10) : null,
    caption: some(0.8) ? text(6, 20) : null,
    alt_text: some(0.2) ? text(4, 10) : null,
    status: some(0.1) ? null : statuses[Math.floor(random() * statuses.length)],
    date,
    date_start: date,
    date_end: date,
    country: some(0.08) ? null : (countries[country] ?? `c${country}`),
    city: some(0.3) ? null : `${vocabularies[lang][500 + zipf(random, 1500)]}`,
    event: some(0.85) ? null : `${text(1, 3)} ${2000 + (n % 26)}`,
    author: some(0.05) ? null : `Author ${author}`,
    provider: String(zipf(random, 40)),
    medium: some(0.5) ? 'photograph' : some(0.2) ? 'illustration' : null,
    shot: some(0.3) ? ['close-up', 'medium', 'wide', 'aerial'][zipf(random, 4)] : null,
    keywords: [...new Set(Array.from({ length: Math.floor(random() * 12) }, keywordOf))],
    categories: [...new Set(Array.from({ length: Math.floor(random() * 3) }, () => `category ${zipf(random, 25)}`))],
    collections: some(0.2) ? [`collection ${zipf(random, 300)}`] : [],
    nsfw: some(0.6) ? null : some(0.03),
    ai_generated: some(0.8) ? null : some(0.1),
    model_release: some(0.7) ? null : some(0.5),
    n_faces: some(0.1) ? null : Math.min(12, zipf(random, 40)),
    bw: some(0.1),
    width,
    height,
    created_at: new Date(Date.UTC(2026, 10, 1) - n * 61_000).toISOString(),
  };
}
