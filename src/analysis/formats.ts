/** The supported picture formats; the first bytes decide, never a name or a declared type. */
export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'avif' | 'heic';

const text = (bytes: Uint8Array, start: number, end: number) => String.fromCharCode(...bytes.subarray(start, end));

const brands: Readonly<Record<string, ImageFormat>> = {
  avif: 'avif',
  avis: 'avif',
  heic: 'heic',
  heix: 'heic',
  hevc: 'heic',
  hevx: 'heic',
  mif1: 'heic',
  msf1: 'heic',
};

const signatures: readonly { format: ImageFormat; matches: (bytes: Uint8Array) => boolean }[] = [
  { format: 'jpeg', matches: (b) => b[0] === 0xff && b[1] === 0xd8 && b[2] === 0xff },
  { format: 'png', matches: (b) => text(b, 0, 8) === '\x89PNG\r\n\x1a\n' },
  { format: 'gif', matches: (b) => /^GIF8[79]a$/.test(text(b, 0, 6)) },
  { format: 'webp', matches: (b) => text(b, 0, 4) === 'RIFF' && text(b, 8, 12) === 'WEBP' },
  { format: 'tiff', matches: (b) => ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].includes(text(b, 0, 4)) },
];

/** The format according to the first bytes of a file, or null for anything else. */
export function sniffFormat(bytes: Uint8Array): ImageFormat | null {
  const known = signatures.find(({ matches }) => matches(bytes));
  if (known !== undefined) return known.format;
  return text(bytes, 4, 8) === 'ftyp' ? sniffBrand(bytes) : null;
}

/** HEIF files list brands; the compatible ones distinguish AVIF from HEIC. */
function sniffBrand(bytes: Uint8Array): ImageFormat | null {
  const end = Math.min(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0), bytes.length, 256);
  const found = new Set<ImageFormat>();
  for (let at = 8; at + 4 <= end; at += 4) {
    const format = brands[text(bytes, at, at + 4)];
    if (format !== undefined && at !== 12) found.add(format);
  }
  return found.has('avif') ? 'avif' : found.has('heic') ? 'heic' : null;
}
