import type { Concept, ConceptSource, Facts, Language } from '../facts.ts';
import { cocoClasses, nounsOf } from './coco.ts';

type Labels = Readonly<Record<Language, string>>;

/** Broader terms for groups of classes; they get the confidence of the detected class. */
const kinds: readonly Readonly<{ labels: Labels; of: readonly string[] }>[] = [
  kind('animal|animal|animal|animal|животное', 'bird, cat, dog, horse, sheep, cow, elephant, bear, zebra, giraffe'),
  kind('vehicle|vehículo|veículo|véhicule|транспорт', 'bicycle, car, motorcycle, airplane, bus, train, truck, boat'),
  kind('fruit|fruta|fruta|fruit|фрукт', 'banana, apple, orange'),
  kind(
    'food|comida|comida|nourriture|еда',
    'sandwich, head of broccoli, carrot, hot dog, pizza, donut, cake, banana, apple, orange',
  ),
  kind('furniture|mueble|móvel|meuble|мебель', 'chair, couch, bed, table'),
];
const blackAndWhite = toLabels('black and white|blanco y negro|preto e branco|noir et blanc|чёрно-белое фото');
const group = toLabels('group of people|grupo de personas|grupo de pessoas|groupe de personnes|группа людей');
const portrait = toLabels('portrait|retrato|retrato|portrait|портрет');
const face = toLabels('face|rostro|rosto|visage|лицо');

const limits = { group: 3, portraitHeight: 0.2 } as const;

/** Finds what a picture shows or is about, the most certain first; of equal labels only the most certain is kept. */
export function findConcepts(found: Partial<Facts>): Concept[] {
  const all = [...fromFile(found), ...fromObjects(found), ...fromFaces(found), ...fromColors(found)];
  const byLabel = new Map<string, Concept>();
  for (const concept of all.toSorted((a, b) => b.confidence - a.confidence)) {
    const key = concept.labels.en.toLowerCase();
    if (!byLabel.has(key)) byLabel.set(key, concept);
  }
  return [...byLabel.values()];
}

function fromFile({ embedded }: Partial<Facts>): Concept[] {
  const words = embedded?.['keywords'];
  if (!Array.isArray(words)) return [];
  return words.map((word: string) => toConcept({ en: word, es: word, pt: word, fr: word, ru: word }, 1, 'embedded'));
}

function fromObjects({ objects = [] }: Partial<Facts>): Concept[] {
  return objects
    .filter((each) => each.isConfirmed)
    .flatMap(({ label, confidence }) => {
      const own = nounsOf(label);
      if (own === null) return [];
      const wider = kinds.filter(({ of }) => of.includes(label)).map(({ labels }) => labels);
      return [keywordOf(own), ...wider].map((labels) => toConcept(labels, confidence, 'objects'));
    });
}

function fromFaces({ faces = [] }: Partial<Facts>): Concept[] {
  const [first] = faces;
  if (first === undefined) return [];
  const person = cocoClasses[0];
  const concepts = [face, ...(person === undefined ? [] : [keywordOf(person)])];
  if (faces.length === 1 && first.box.h >= limits.portraitHeight) concepts.push(portrait);
  if (faces.length >= limits.group) concepts.push(group);
  return concepts.map((labels) => toConcept(labels, first.confidence, 'faces'));
}

function fromColors({ colors }: Partial<Facts>): Concept[] {
  return colors?.isBlackAndWhite ? [toConcept(blackAndWhite, 1, 'colors')] : [];
}

function toConcept(labels: Labels, confidence: number, source: ConceptSource): Concept {
  return { labels, confidence, source };
}

function keywordOf({ en, es, pt, fr, ru }: Readonly<Record<Language, Readonly<{ keyword: string }>>>): Labels {
  return { en: en.keyword, es: es.keyword, pt: pt.keyword, fr: fr.keyword, ru: ru.keyword };
}

function kind(words: string, classes: string): Readonly<{ labels: Labels; of: readonly string[] }> {
  const of = classes.split(', ');
  const unknown = of.find((label) => nounsOf(label) === null);
  if (unknown !== undefined) throw new Error(`a concept names the unknown class '${unknown}'`);
  return { labels: toLabels(words), of };
}

function toLabels(words: string): Labels {
  const [en = '', es = '', pt = '', fr = '', ru = ''] = words.split('|');
  return { en, es, pt, fr, ru };
}
