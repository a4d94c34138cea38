import type { Language } from '../state/preferences.svelte.ts';
import { findingsInSpanish } from './findings.ts';

/*
 * Translates what the doctor of the service finds. Only the page that shows it needs these words, so the dictionaries do not
 * contain them.
 */

/** The parts of the service that the doctor checks. */
const subjects: Readonly<Record<string, string>> = {
  machine: 'equipo',
  settings: 'ajustes',
  database: 'base de datos',
  direct: 'directa',
  tables: 'tablas',
  replica: 'réplica',
  index: 'índice',
  worker: 'trabajo',
  metrics: 'métricas',
  address: 'dirección',
  pictures: 'imágenes',
  videos: 'vídeos',
  networks: 'redes',
  local: 'modelos',
  ocr: 'texto',
  media: 'medios',
  disk: 'disco',
  previews: 'miniaturas',
  uploads: 'subidas',
  vectors: 'vectores',
  work: 'cola',
  bottleneck: 'límites',
};

/** A sentence of the doctor as a pattern of its values, and as it is in Spanish. */
type Sentence = Readonly<{ pattern: RegExp; own: string; fixed: number }>;

const sentences: readonly Sentence[] = Object.entries(findingsInSpanish)
  .map(([english, own]) => {
    const parts = english.split('#').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
    return { pattern: new RegExp(`^${parts.join('(.+?)')}$`, 's'), own, fixed: parts.join('').length };
  })
  // The one with the most words of its own fits best.
  .toSorted((a, b) => b.fixed - a.fixed);

function inSpanish(text: string): string {
  const sentence = sentences.find(({ pattern }) => pattern.test(text));
  const values = sentence?.pattern.exec(text) ?? [];
  return sentence?.own.replaceAll(/#(\d)/g, (_, at: string) => inSpanish(values[Number(at)] ?? '')) ?? text;
}

/** What the doctor says, in a language; unchanged if it is not known. */
export function findingIn(language: Language, text: string): string {
  return language === 'es' ? inSpanish(text) : text;
}

/** What was checked, in a language. */
export function subjectIn(language: Language, subject: string): string {
  return language === 'es' ? (subjects[subject] ?? subject) : subject;
}
