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
  byConcepts: (words: string) => string;
  /** Texts that the command line prints around the clauses. */
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
    `No text embedding model is configured: compared by ${words} among the concepts and texts of images`,
  headings: ['CLAUSE', 'FINDS'],
  records: (count) => (count === 1 ? '1 record' : `${count ?? '?'} records`),
  emptied: (clause, without) => `Nothing is found because of ${clause}; without it: ${without}`,
  corrected: (word, meanings) => `No record contains '${word}'; corrected to ${meanings}`,
  suggested: 'This finds something:',
  warned: (message, place) => `Note: ${message} (at ${place}).`,
};

const spanish: Messages = {
  neverNegative: (field) => `${field} nunca es negativo`,
  missing: (field) => `${field} falta, así que no tiene valor`,
  negation: 'una parte y su negación se excluyen',
  bothAnswers: (field, a, b) => `${field} no puede ser ${a} y ${b} a la vez`,
  oneValue: (field) => `${field} tiene un solo valor, que no puede estar en ambos`,
  bothValues: (field, a, b) => `${field} tiene un solo valor: no puede ser «${a}» y «${b}» a la vez`,
  tooSlow: 'El recuento tardaba demasiado y se abandonó',
  firstClauses: (most) => `Solo se cuentan las primeras ${most} partes`,
  notOneByOne: 'Las partes con parecido no se cuentan una a una',
  byConcepts: (words) =>
    `No hay ningún modelo de textos configurado: se comparan conceptos, ${words} entre lo que se ve en las imágenes y lo que se dice de ellas`,
  headings: ['PARTE', 'ENCUENTRA'],
  records: (count) => (count === 1 ? '1 registro' : `${count ?? '?'} registros`),
  emptied: (clause, without) => `No se encuentra nada por ${clause}; sin esa parte: ${without}`,
  corrected: (word, meanings) => `Ningún registro contiene «${word}»; se lee como ${meanings}`,
  suggested: 'Esto sí encuentra algo:',
  warned: (message, place) => `Nota: ${message} (en la posición ${place}).`,
};

/** The messages of each language. */
export const messages: Readonly<Record<Locale, Messages>> = { en: english, es: spanish };
