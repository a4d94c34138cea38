/** The named colours that pictures are described by and formulas ask for. */
export const colors: Readonly<Record<string, string>> = {
  black: '000000',
  gray: '808080',
  silver: 'c0c0c0',
  white: 'ffffff',
  beige: 'f5f5dc',
  brown: '8b4513',
  maroon: '800000',
  red: 'ff0000',
  coral: 'ff7f50',
  orange: 'ffa500',
  gold: 'ffd700',
  yellow: 'ffff00',
  olive: '808000',
  lime: '32cd32',
  green: '008000',
  mint: '98ff98',
  teal: '008080',
  turquoise: '40e0d0',
  cyan: '00ffff',
  skyblue: '87ceeb',
  blue: '0000ff',
  navy: '000080',
  indigo: '4b0082',
  purple: '800080',
  violet: 'ee82ee',
  magenta: 'ff00ff',
  pink: 'ffc0cb',
};

/** Other spellings. */
const synonyms: Readonly<Record<string, string>> = { grey: 'gray', aqua: 'cyan', fuchsia: 'magenta' };

/** The colour that a name in any letter case means, or null. */
export function findColor(name: string): string | null {
  const lower = name.toLowerCase();
  const known = synonyms[lower] ?? lower;
  return Object.hasOwn(colors, known) ? known : null;
}

/** The named colour that six hexadecimal digits come closest to, by the low-cost "redmean" distance. */
export function nearestColor(hex: string): string {
  const distances = Object.entries(colors).map(([name, own]) => ({ name, distance: distance(hex, own) }));
  return distances.reduce((best, each) => (each.distance < best.distance ? each : best)).name;
}

function distance(a: string, b: string): number {
  const [r1, g1, b1] = channels(a);
  const [r2, g2, b2] = channels(b);
  const red = (r1 + r2) / 2;
  return (2 + red / 256) * (r1 - r2) ** 2 + 4 * (g1 - g2) ** 2 + (2 + (255 - red) / 256) * (b1 - b2) ** 2;
}

function channels(hex: string): readonly [number, number, number] {
  const value = Number.parseInt(hex, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
