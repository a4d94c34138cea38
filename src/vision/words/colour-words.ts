import { hueDistance, toOkLab } from '../oklab.ts';
import type { Language } from '../facts.ts';

/** Basic colours: a typical value, and the word as it stands in "in … tones" of each language. */
const table = [
  ['black', '#101010', 'black', 'negros', 'pretos', 'noirs', 'чёрных'],
  ['white', '#f8f8f8', 'white', 'blancos', 'brancos', 'blancs', 'белых'],
  ['grey', '#808080', 'grey', 'grises', 'cinza', 'gris', 'серых'],
  ['red', '#c81e1e', 'red', 'rojos', 'vermelhos', 'rouges', 'красных'],
  ['orange', '#f08c1e', 'orange', 'naranjas', 'laranja', 'orangés', 'оранжевых'],
  ['yellow', '#f0dc28', 'yellow', 'amarillos', 'amarelos', 'jaunes', 'жёлтых'],
  ['green', '#3c8c3c', 'green', 'verdes', 'verdes', 'verts', 'зелёных'],
  ['blue', '#2850b4', 'blue', 'azules', 'azuis', 'bleus', 'синих'],
  ['dark blue', '#142846', 'dark blue', 'azul oscuro', 'azul-escuros', 'bleu foncé', 'тёмно-синих'],
  ['light blue', '#8cbee6', 'light blue', 'celestes', 'azul-claros', 'bleu clair', 'голубых'],
  ['purple', '#783c96', 'purple', 'morados', 'roxos', 'violets', 'фиолетовых'],
  ['pink', '#f096b4', 'pink', 'rosados', 'rosados', 'roses', 'розовых'],
  ['brown', '#785032', 'brown', 'marrones', 'marrons', 'bruns', 'коричневых'],
  ['light brown', '#aa8466', 'brown', 'marrones', 'marrons', 'bruns', 'коричневых'],
  ['beige', '#d8c3a0', 'beige', 'beis', 'bege', 'beiges', 'бежевых'],
] as const;

const colours = table.map(([, hex, en, es, pt, fr, ru]) => ({
  lab: labOf(hex),
  words: { en, es, pt, fr, ru } satisfies Record<Language, string>,
}));

/** The words for the basic colour that looks nearest. */
export function basicColourWords(hex: string): Readonly<Record<Language, string>> {
  const lab = labOf(hex);
  return colours.reduce((best, each) => (hueDistance(each.lab, lab) < hueDistance(best.lab, lab) ? each : best)).words;
}

function labOf(hex: string) {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return toOkLab(red, green, blue);
}
