import { formulaFields } from '../catalog/index.ts';
import { comparatorsOf, flagOperators } from '../search/index.ts';

/** Examples of the language, each with what it finds. */
const examples: readonly (readonly [formula: string, finds: string])[] = [
  ['sunset beach', 'both words, in any form'],
  ['"golden gate bridge" -fog', 'these words in this order, without fog'],
  ['(dog OR cat) park', 'dog or cat, and park'],
  ['keywords:dog,cat', 'either keyword'],
  ['keywords:(dog beach -people)', 'both keywords, without the third'],
  ['city:"San Sebastián" country:Spain', 'whole values; case and accents do not matter'],
  ['title="Sun"', 'the whole value'],
  ['width:1920.. height<800', 'ranges, ends included, and comparisons'],
  ['date:2023-06..2024-02 created_at:-30d..', 'periods: a year, a month, a day, -30d, today'],
  ['color:navy@30', 'at least 30 % navy'],
  ['i~ID, i~~ID, i~~~ID', 'pictures of the same theme, subject, scene as that record'],
  ['i=ID, i==ID, i===ID', 'copies of that record: also edited, the same picture, the same pixels'],
  ['i~"a red car"', 'pictures that a text describes'],
];

/** Names, kinds, comparisons and meanings of all fields. */
export function fieldsGuide(): string {
  const rows = formulaFields
    .filter(({ sql }) => 'image' in sql)
    .map(({ name, kind, description }) => `- ${name} (${kind}; ${comparatorsOf(kind).join(' ')}): ${description}`);
  return ['Fields of formulas that search images:', ...rows].join('\n');
}

/** The language of formulas. */
export function grammarGuide(): string {
  const flags = Object.values(flagOperators).map(({ example, description }) => `- ${example}: ${description}`);
  return [
    'A formula is one text that searches the catalog. White space is AND; OR and NOT are written in capitals; - negates a term.',
    'NOT binds tighter than AND, AND tighter than OR. Quote values with blanks or signs: city:"New York". An empty formula finds everything.',
    ...examples.map(([formula, finds]) => `- ${formula}: ${finds}`),
    ...flags,
  ].join('\n');
}
