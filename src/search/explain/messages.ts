import type { Locale } from '../../catalog/index.ts';

/** The messages of an explanation besides its sentences. `field` is a field's name in English, its label otherwise. */
export type Messages = Readonly<{
  /** Why nothing can match. */
  neverNegative: (field: string) => string;
  missing: (field: string) => string;
  negation: string;
  bothAnswers: (field: string, a: string, b: string) => string;
  oneValue: (field: string) => string;
  bothValues: (field: string, a: string, b: string) => string;
  /** Why something is not counted. */
  tooSlow: string;
  firstClauses: (most: number) => string;
  notOneByOne: string;
  byConcepts: (words: readonly string[]) => string;
  /** Texts that the command line prints around clauses. */
  headings: readonly [clause: string, finds: string];
  records: (count: number | null) => string;
  emptied: (clause: string, without: number) => string;
  corrected: (word: string, meanings: string) => string;
  suggested: string;
  warned: (message: string, place: number) => string;
}>;

const english: Messages = {
  neverNegative: (field) => `${field} is never negative`,
  missing: (field) => `${field} is missing, so it has no value`,
  negation: 'a part and its negation exclude each other',
  bothAnswers: (field, a, b) => `${field} cannot be ${a} and ${b} at once`,
  oneValue: (field) => `${field} has one value, which cannot be in both`,
  bothValues: (field, a, b) => `${field} has one value: it cannot be '${a}' and '${b}' at once`,
  tooSlow: 'Counting timed out',
  firstClauses: (most) => `Only the first ${most} clauses are counted`,
  notOneByOne: 'Clauses with similarity are not counted one by one',
  byConcepts: (words) =>
    `No text embedding model is configured: compared by ${words.map((word) => `'${word}'`).join(', ')} among the concepts and texts of images`,
  headings: ['CLAUSE', 'FINDS'],
  records: (count) => (count === 1 ? '1 record' : `${count ?? '?'} records`),
  emptied: (clause, without) =>
    without === 0
      ? `Nothing is found, with ${clause} or without it`
      : `Nothing is found because of ${clause}; without it: ${without}`,
  corrected: (word, meanings) => `No record contains '${word}'; corrected to ${meanings}`,
  suggested: 'This finds something:',
  warned: (message, place) => `Note: ${message} (at ${place}).`,
};

const spanish: Messages = {
  neverNegative: (field) => `el campo «${field}» nunca es negativo`,
  missing: (field) => `el campo «${field}» está vacío, así que no tiene valor`,
  negation: 'una parte y su negación se excluyen mutuamente',
  bothAnswers: (field, a, b) => `el campo «${field}» no puede ser «${a}» y «${b}» a la vez`,
  oneValue: (field) => `el campo «${field}» tiene un solo valor, que no puede estar en ambos`,
  bothValues: (field, a, b) => `el campo «${field}» tiene un solo valor: no puede ser «${a}» y «${b}» a la vez`,
  tooSlow: 'El recuento ha superado el tiempo máximo',
  firstClauses: (most) => `Solo se cuentan las primeras ${most} partes`,
  notOneByOne: 'Las partes con similitud no se cuentan una a una',
  byConcepts: (words) =>
    `No hay ningún modelo de textos configurado: se busca ${words.map((word) => `«${word}»`).join(', ')} en los conceptos y los textos de las imágenes`,
  headings: ['PARTE', 'ENCUENTRA'],
  records: (count) => (count === 1 ? '1 registro' : `${count ?? '?'} registros`),
  emptied: (clause, without) =>
    without === 0
      ? `No hay resultados, con ${clause} ni sin esa parte`
      : `No hay resultados a causa de ${clause}; sin esa parte: ${without}`,
  corrected: (word, meanings) => `Ningún registro contiene «${word}»; se interpreta como ${meanings}`,
  suggested: 'Esto sí da resultados:',
  warned: (message, place) => `Nota: ${message} (en la posición ${place}).`,
};

/** The messages of each language. */
export const messages: Readonly<Record<Locale, Messages>> = { en: english, es: spanish };
