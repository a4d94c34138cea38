import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { toDecodable } from './decodable.ts';
import { checkFile } from './decode.ts';

/** How close an edit stays to the picture; the names are those of the tiers that must find it. */
export type EditClass = 'near' | 'same' | 'edited' | 'variant';

/** An upright picture, its size, and a way to open it again. */
type Original = Readonly<{ width: number; height: number; open: () => Sharp }>;

export type Edit = Readonly<{ name: string; class: EditClass; apply: (original: Original) => Sharp }>;

/** Cuts out a part of a picture, given in fractions of its size. */
function part({ width, height, open }: Original, x: number, y: number, w: number, h: number): Sharp {
  const [left, top] = [Math.round(x * width), Math.round(y * height)];
  const right = Math.min(width, Math.round((x + w) * width));
  const bottom = Math.min(height, Math.round((y + h) * height));
  return open().extract({ left, top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) });
}

/** Draws something over a picture; `draw` creates the SVG for its size. */
function over(original: Original, draw: (width: number, height: number) => string): Sharp {
  const { width, height, open } = original;
  const svg = `<svg width="${width}" height="${height}">${draw(width, height)}</svg>`;
  return open().composite([{ input: Buffer.from(svg), left: 0, top: 0 }]);
}

function frame({ width, height, open }: Original, sides: Record<'top' | 'bottom' | 'left' | 'right', number>): Sharp {
  return open().extend({
    top: Math.round(sides.top * height),
    bottom: Math.round(sides.bottom * height),
    left: Math.round(sides.left * width),
    right: Math.round(sides.right * width),
    background: '#f4f0e6',
  });
}

const evenly = (share: number) => ({ top: share, bottom: share, left: share, right: share });

function watermark(width: number, height: number): string {
  const rows = Array.from({ length: 12 }, (_, k) => {
    const [x, y] = [((k % 3) * width) / 3, ((Math.floor(k / 3) + 0.6) * height) / 4];
    const style = `font-size="${height * 0.07}" fill="white" fill-opacity="0.45" transform="rotate(-20 ${x} ${y})"`;
    return `<text x="${x}" y="${y}" ${style}>SAMPLE</text>`;
  });
  return rows.join('');
}

function banner(width: number, height: number): string {
  const ocr = `<text x="${width * 0.03}" y="${height * 0.1}" font-size="${height * 0.08}" fill="white">BREAKING NEWS</text>`;
  return `<rect width="${width}" height="${height * 0.14}" fill="#102030"/>${ocr}`;
}

function vignette(width: number, height: number): string {
  const stops = '<stop offset="50%" stop-opacity="0"/><stop offset="100%" stop-opacity="0.8"/>';
  return `<defs><radialGradient id="v">${stops}</radialGradient></defs><rect width="${width}" height="${height}" fill="url(#v)"/>`;
}

/** Edits that people make before they publish pictures again. */
export const edits: readonly Edit[] = [
  { name: 'quality 95', class: 'near', apply: ({ open }) => open().jpeg({ quality: 95 }) },
  { name: 'PNG', class: 'near', apply: ({ open }) => open().png({ compressionLevel: 1 }) },
  { name: 'WebP 92', class: 'near', apply: ({ open }) => open().webp({ quality: 92 }) },
  { name: 'quality 15', class: 'same', apply: ({ open }) => open().jpeg({ quality: 15 }) },
  { name: 'half size', class: 'same', apply: ({ open, width }) => open().resize(Math.ceil(width / 2)) },
  { name: 'width 200', class: 'same', apply: ({ open }) => open().resize(200) },
  { name: 'larger', class: 'same', apply: ({ open, width }) => open().resize(Math.round(width * 1.5)) },
  { name: 'gamma', class: 'same', apply: ({ open }) => open().gamma(1.6) },
  { name: 'contrast', class: 'same', apply: ({ open }) => open().linear(1.3, -38) },
  { name: 'saturation and hue', class: 'same', apply: ({ open }) => open().modulate({ saturation: 1.8, hue: 20 }) },
  { name: 'sepia', class: 'same', apply: ({ open }) => open().tint('#c08040') },
  { name: 'grey', class: 'same', apply: ({ open }) => open().grayscale() },
  { name: 'sharpened', class: 'same', apply: ({ open }) => open().sharpen({ sigma: 2 }) },
  { name: 'blurred', class: 'same', apply: ({ open }) => open().blur(1.5) },
  { name: 'banner', class: 'edited', apply: (original) => over(original, banner) },
  {
    name: 'side bar',
    class: 'edited',
    apply: (original) => over(original, (w, h) => `<rect width="${w * 0.12}" height="${h}" fill="white"/>`),
  },
  {
    name: 'logo',
    class: 'edited',
    apply: (original) =>
      over(original, (w, h) => `<circle cx="${w * 0.85}" cy="${h * 0.85}" r="${h * 0.1}" fill="red"/>`),
  },
  { name: 'watermark', class: 'edited', apply: (original) => over(original, watermark) },
  { name: 'vignette', class: 'edited', apply: (original) => over(original, vignette) },
  { name: 'turned 2°', class: 'edited', apply: ({ open }) => open().rotate(2, { background: '#000' }) },
  { name: 'turned -5°', class: 'edited', apply: ({ open }) => open().rotate(-5, { background: '#fff' }) },
  { name: 'left 6 % off', class: 'edited', apply: (original) => part(original, 0.06, 0, 0.94, 1) },
  { name: '5 % off, off center', class: 'edited', apply: (original) => part(original, 0.01, 0.04, 0.95, 0.95) },
  {
    name: 'squeezed',
    class: 'edited',
    apply: ({ open, width, height }) => open().resize(Math.ceil(width * 0.85), height, { fit: 'fill' }),
  },
  { name: 'upper left 85 %', class: 'variant', apply: (original) => part(original, 0, 0, 0.85, 0.85) },
  { name: 'lower right 75 %', class: 'variant', apply: (original) => part(original, 0.25, 0.25, 0.75, 0.75) },
  { name: 'center 70 %', class: 'variant', apply: (original) => part(original, 0.15, 0.15, 0.7, 0.7) },
  { name: 'upper 65 %', class: 'variant', apply: (original) => part(original, 0, 0, 1, 0.65) },
  { name: 'right half', class: 'variant', apply: (original) => part(original, 0.5, 0, 0.5, 1) },
  {
    name: 'square',
    class: 'variant',
    apply: (original) => {
      const share = original.width / original.height;
      return share > 1
        ? part(original, 0.5 - 0.5 / share, 0, 1 / share, 1)
        : part(original, 0, 0.5 - share / 2, 1, share);
    },
  },
  { name: 'border', class: 'variant', apply: (original) => frame(original, evenly(0.05)) },
  {
    name: 'instant picture',
    class: 'variant',
    apply: (original) => frame(original, { ...evenly(0.08), bottom: 0.25 }),
  },
  {
    name: 'bars above and below',
    class: 'variant',
    apply: (original) => frame(original, { ...evenly(0.3), left: 0, right: 0 }),
  },
  { name: 'mirrored', class: 'variant', apply: ({ open }) => open().flop() },
  { name: 'mirrored and cropped', class: 'variant', apply: (original) => part(original, 0.05, 0.05, 0.9, 0.9).flop() },
  { name: 'upside down', class: 'variant', apply: ({ open }) => open().rotate(180) },
  { name: 'quarter turn', class: 'variant', apply: ({ open }) => open().rotate(270) },
  { name: 'turned 12°', class: 'variant', apply: ({ open }) => open().rotate(12, { background: '#888' }) },
];

/** Prepares a picture for edits. @throws ElementError `unsupported_media`, `too_large` or `decode_failed`; an error of sharp */
export async function openOriginal(bytes: Buffer): Promise<Original> {
  const { file } = await toDecodable(bytes, checkFile(bytes));
  const upright = sharp(file).autoOrient().toColourspace('srgb').flatten({ background: '#fff' });
  const { data, info } = await upright.jpeg({ quality: 95 }).toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, open: () => sharp(data) };
}

/** Returns an edit as a file; JPEG unless the edit says otherwise. */
export function saveEdit({ apply }: Edit, original: Original): Promise<Buffer> {
  return apply(original).toBuffer();
}
