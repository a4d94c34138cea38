import { spanishShades } from './spanish-shades.ts';

/** Languages other than English in which colors can be named. */
type ColorLanguage = 'es' | 'pt' | 'fr' | 'ru';

type Family = Readonly<{ name: string; shades: readonly string[] } & Record<ColorLanguage, readonly string[]>>;

/**
 * Color families: the name that people search for, the CSS shades (as the analysis names them) that belong to it, and
 * its words in Spanish, Portuguese, French and Russian, most common first. A shade may belong to several families.
 */
// prettier-ignore
const table: readonly (readonly [name: string, shades: string, es: string, pt: string, fr: string, ru: string])[] = [
  ['black', '', 'negro negra', 'preto preta', 'noir noire', 'черный черная'],
  ['gray', 'darkgray dimgray lightgray silver gainsboro slategray lightslategray darkslategray', 'gris', 'cinza cinzento', 'gris grise', 'серый серая'],
  ['silver', 'lightgray gainsboro', 'plateado plateada', 'prateado prateada', 'argenté argent', 'серебряный серебристый'],
  ['white', 'snow ivory whitesmoke ghostwhite floralwhite mintcream azure aliceblue honeydew seashell linen', 'blanco blanca', 'branco branca', 'blanc blanche', 'белый белая'],
  ['beige', 'antiquewhite oldlace linen papayawhip blanchedalmond bisque wheat moccasin navajowhite cornsilk tan', 'beis beige', 'bege', 'beige', 'бежевый бежевая'],
  ['brown', 'saddlebrown sienna chocolate peru rosybrown burlywood tan maroon darkgoldenrod', 'marrón castaño café', 'marrom castanho castanha', 'brun brune marron', 'коричневый коричневая'],
  ['maroon', 'darkred brown', 'granate', 'bordô', 'bordeaux', 'бордовый бордовая'],
  ['red', 'darkred firebrick crimson indianred tomato orangered', 'rojo roja', 'vermelho vermelha', 'rouge', 'красный красная'],
  ['coral', 'lightcoral salmon darksalmon lightsalmon tomato', 'coral', 'coral', 'corail', 'коралловый'],
  ['orange', 'darkorange orangered coral chocolate sandybrown lightsalmon', 'naranja anaranjado', 'laranja alaranjado', 'orange orangé', 'оранжевый оранжевая'],
  ['gold', 'goldenrod darkgoldenrod', 'dorado dorada', 'dourado dourada', 'doré dorée', 'золотой золотистый'],
  ['yellow', 'gold goldenrod lightyellow lemonchiffon lightgoldenrodyellow palegoldenrod khaki', 'amarillo amarilla', 'amarelo amarela', 'jaune', 'желтый желтая'],
  ['olive', 'olivedrab darkolivegreen darkkhaki', 'oliva', 'oliva azeitona', 'olive', 'оливковый'],
  ['lime', 'limegreen lawngreen chartreuse greenyellow', 'lima', 'lima', 'vert-citron citron', 'лаймовый'],
  ['green', 'darkgreen forestgreen seagreen mediumseagreen darkseagreen lime limegreen lawngreen chartreuse greenyellow springgreen mediumspringgreen lightgreen palegreen olivedrab darkolivegreen yellowgreen', 'verde', 'verde', 'vert verte', 'зеленый зеленая'],
  ['mint', 'palegreen aquamarine mediumaquamarine mintcream honeydew', 'menta', 'menta', 'menthe', 'мятный'],
  ['teal', 'darkcyan lightseagreen', 'verde-azulado cerceta', 'verde-azulado petróleo', 'sarcelle', 'темно-бирюзовый'],
  ['turquoise', 'mediumturquoise darkturquoise paleturquoise lightseagreen aquamarine mediumaquamarine', 'turquesa', 'turquesa', 'turquoise', 'бирюзовый бирюзовая'],
  ['cyan', 'darkcyan lightcyan paleturquoise darkturquoise', 'cian', 'ciano', 'cyan', 'циан'],
  ['skyblue', 'lightskyblue deepskyblue lightblue powderblue', 'celeste', 'azul-claro', 'bleu-ciel', 'голубой голубая'],
  ['blue', 'mediumblue darkblue navy midnightblue royalblue dodgerblue cornflowerblue steelblue deepskyblue skyblue lightskyblue lightblue powderblue cadetblue lightsteelblue', 'azul', 'azul', 'bleu bleue', 'синий синяя'],
  ['navy', 'darkblue midnightblue', 'azul-marino', 'azul-marinho', 'bleu-marine', 'темно-синий'],
  ['indigo', 'rebeccapurple darkslateblue', 'índigo añil', 'anil', 'indigo', 'индиго'],
  ['purple', 'indigo rebeccapurple darkmagenta darkviolet darkorchid mediumorchid blueviolet mediumpurple slateblue mediumslateblue darkslateblue orchid plum violet thistle lavender', 'morado morada púrpura', 'roxo roxa púrpura', 'pourpre mauve', 'фиолетовый фиолетовая пурпурный'],
  ['violet', 'plum orchid thistle lavender', 'violeta', 'violeta', 'violet violette', 'лиловый сиреневый'],
  ['magenta', 'mediumvioletred deeppink orchid', 'magenta', 'magenta', 'magenta', 'маджента'],
  ['pink', 'lightpink hotpink deeppink palevioletred mediumvioletred mistyrose lavenderblush peachpuff', 'rosa rosado rosada', 'rosa rosado', 'rose', 'розовый розовая'],
];

const families: readonly Family[] = table.map(([name, shades, es, pt, fr, ru]) => ({
  name,
  shades: [name, ...split(shades)],
  es: split(es),
  pt: split(pt),
  fr: split(fr),
  ru: split(ru),
}));

/** Removes case and accents. */
function plain(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

function split(words: string): string[] {
  return words === '' ? [] : words.split(' ');
}

/** The names of the color families, in display order. */
export const colorFamilies: readonly string[] = families.map(({ name }) => name);

/** Every name that a color can be stored under. */
export const colorShades: readonly string[] = [...new Set(families.flatMap(({ shades }) => shades))];

/** Alternative CSS spellings. */
const spellings: readonly (readonly [other: string, name: string])[] = [
  ['aqua', 'cyan'],
  ['fuchsia', 'magenta'],
  ...colorShades.filter((name) => name.includes('gray')).map((name) => [name.replace('gray', 'grey'), name] as const),
];

/** A requested color, and the shades that match it. */
type AskedColor = Readonly<{ name: string; shades: readonly string[] }>;

const byName = new Map<string, AskedColor>();
for (const shade of colorShades) byName.set(shade, { name: shade, shades: [shade] });
for (const { name, shades, es, pt, fr, ru } of families) {
  // English first: `violet` is a separate shade in English, no matter what it means in other languages.
  for (const word of [name, ...es, ...pt, ...fr, ...ru]) {
    const known = byName.get(plain(word));
    if (known === undefined || known.shades.length === 1) byName.set(plain(word), { name, shades });
  }
}
for (const [other, name] of spellings) {
  const known = byName.get(name);
  if (known !== undefined) byName.set(other, known);
}

/** Finds a color by name, ignoring case: a family in one of five languages, or a CSS shade. Null if unknown. */
export function findColor(name: string): AskedColor | null {
  return byName.get(plain(name)) ?? null;
}

/** Returns the color by which to search for a CSS shade: the smallest family that contains it. */
export function familyOfShade(shade: string): AskedColor {
  const own = families.filter(({ shades }) => shades.includes(shade));
  const [smallest] = own.toSorted((a, b) => a.shades.length - b.shades.length);
  return smallest === undefined ? { name: shade, shades: [shade] } : { name: smallest.name, shades: smallest.shades };
}

/** Returns the Spanish name of a color, be it a family or a shade; the English name if it has none. */
export function colorInSpanish(name: string): string {
  const own = families.find((family) => family.name === name)?.es[0];
  return own?.replace('-', ' ') ?? spanishShades[name] ?? name;
}
