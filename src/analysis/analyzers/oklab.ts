/** A color in OKLab (Björn Ottosson, 2020): lightness 0 to 1, and two color axes around 0. */
export type OkLab = readonly [lightness: number, a: number, b: number];

const linear = Float64Array.from({ length: 256 }, (_, value) => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

/** Converts sRGB values, 0 to 255 each; fractions are rounded. */
export function toOkLab(red: number, green: number, blue: number): OkLab {
  const r = linear[Math.round(red)] as number;
  const g = linear[Math.round(green)] as number;
  const b = linear[Math.round(blue)] as number;
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** How different two colors look; 0.02 is just noticeable, 1 is black versus white. */
export function colorDistance(x: OkLab, y: OkLab): number {
  return Math.hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

/** The same for color names, which depend on hue more than lightness: dark gray is nearer to black than to midnight blue. */
export function hueDistance(x: OkLab, y: OkLab): number {
  return Math.hypot(x[0] - y[0], 2 * (x[1] - y[1]), 2 * (x[2] - y[2]));
}
