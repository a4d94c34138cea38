import fc from 'fast-check';

export const languages = ['en', 'es', 'pt', 'fr', 'ru'] as const;

/** Words with their plurals, accents, digits and case, so that questions meet answers. */
export const vocabulary = [
  ...['house', 'Houses', 'running', 'runs', 'canción', 'Canciones', 'CANCION', 'playa', 'playas', 'árbol', 'arboles'],
  ...['informação', 'informações', 'éléphant', 'elephants', 'новый', 'новая', 'ёлка', 'елки', 'дом', 'Дома', 'the'],
  ...['i', 'R&B', 'wi-fi', 'wifi', '2024', '4k', "l'été", 'sun', 'sunset', 'Straße', 'strasse', 'sol', 'solar'],
];

export const places = ['es', 'ES', 'España', 'espana', 'San Sebastián', 'san sebastian', 'Vigo', '', 'A, B', 'x|y'];

export type Row = Readonly<{
  id: string;
  lang: (typeof languages)[number];
  title: string | null;
  headline: string | null;
  caption: string | null;
  alt_text: string | null;
  event: string | null;
  location: string | null;
  ocr: string | null;
  city: string | null;
  country: string | null;
  author: string | null;
  status: string | null;
  src: string | null;
  keywords: string[] | null;
  categories: string[] | null;
  collections: string[] | null;
  ai_generated: boolean | null;
  nsfw: boolean | null;
  bw: boolean | null;
  n_faces: number | null;
  width: number;
  height: number;
  /** With its first and last day. */
  date: readonly [text: string, first: string, last: string] | null;
  created_at: string;
  colors: { name: string; percent: number }[] | null;
}>;

const word = fc.constantFrom(...vocabulary);
const prose = fc.option(
  fc
    .array(word, { maxLength: 4 })
    .chain((words) => fc.constantFrom(' ', ', ', ' – ', '. ').map((by) => words.join(by))),
);
const place = fc.option(fc.constantFrom(...places));
/** As records keep them: no element twice, none empty. */
const list = fc.option(
  fc.uniqueArray(
    fc.oneof(
      word,
      fc.tuple(word, word).map((two) => two.join(' ')),
      fc.constantFrom(...places.filter((own) => own !== '')),
    ),
    { maxLength: 4 },
  ),
);
const tristate = fc.constantFrom(true, false, null);

/** Dates with what they cover, written by hand. */
const recordDates = [
  ['2023', '2023-01-01', '2023-12-31'],
  ['2024', '2024-01-01', '2024-12-31'],
  ['2024-02', '2024-02-01', '2024-02-29'],
  ['2024-06', '2024-06-01', '2024-06-30'],
  ['2024-06-15', '2024-06-15', '2024-06-15'],
  ['2024-06-14', '2024-06-14', '2024-06-14'],
  ['2024-05-16', '2024-05-16', '2024-05-16'],
  ['1999-12-31', '1999-12-31', '1999-12-31'],
  ['0987-01-02', '0987-01-02', '0987-01-02'],
] as const;

export const records: readonly Row[] = fc
  .sample(
    fc.record({
      lang: fc.constantFrom(...languages),
      title: prose,
      headline: prose,
      caption: prose,
      alt_text: prose,
      event: prose,
      location: prose,
      ocr: prose,
      city: place,
      country: place,
      author: fc.option(
        fc.oneof(
          place.map((own) => own ?? ''),
          word,
        ),
      ),
      status: place,
      src: fc.option(fc.constantFrom('http://A/b', 'http://a/b')),
      keywords: list,
      categories: list,
      collections: list,
      ai_generated: tristate,
      nsfw: tristate,
      bw: tristate,
      n_faces: fc.option(fc.integer({ min: 0, max: 4 })),
      width: fc.constantFrom(100, 105, 106, 160, 199, 200, 1600, 1920),
      height: fc.constantFrom(90, 100, 105, 200, 900, 1080),
      date: fc.option(fc.constantFrom(...recordDates)),
      created_at: fc.constantFrom(
        '2024-06-15T00:00:00.000Z',
        '2024-06-15T11:30:00.000Z',
        '2024-06-14T23:59:59.999Z',
        '2024-05-31T12:00:00.000Z',
        '2023-12-31T23:00:00.000Z',
      ),
      colors: fc.option(
        fc.array(
          fc.record({
            name: fc.constantFrom('navy', 'red', 'white', 'midnightblue', 'steelblue'),
            percent: fc.constantFrom(10, 30, 55.5),
          }),
          {
            maxLength: 2,
          },
        ),
      ),
    }),
    { numRuns: 120, seed: 11 },
  )
  .map((row, index) => ({ id: index % 3 === 0 ? `Id-${index}` : `id-${index}`, ...row }));
