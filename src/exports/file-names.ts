import { trimWhere } from '../lib/trim.ts';

/** Device names of Windows, which cannot be file names. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
/** Most file systems allow 255 bytes; a number, the ending and the `.xmp` of a sidecar are added. */
const maxBytes = 200;
const maxCharacters = 100;

/** Generates file names for an archive: safe on every system, and unique regardless of case. */
export function createFileNames(): (id: string, ending: string) => string {
  const taken = new Set<string>();
  /** The last number appended to each name, because thousands of ids may share one. */
  const numbers = new Map<string, number>();
  return (id, ending) => {
    const base = safeName(endsWith(id, ending) ? id.slice(0, -ending.length - 1) : id);
    const nameOf = (number: number) =>
      `${base}${number === 1 ? '' : ` (${number})`}${ending === '' ? '' : `.${ending}`}`;
    const plain = key(nameOf(1));
    for (let number = (numbers.get(plain) ?? 0) + 1; ; number += 1) {
      const name = nameOf(number);
      // A sidecar is named after the whole file name, so both are reserved.
      if (taken.has(key(name))) continue;
      taken.add(key(name)).add(key(`${name}.xmp`));
      numbers.set(plain, number);
      return name;
    }
  };
}

function key(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function endsWith(id: string, ending: string): boolean {
  return ending !== '' && id.toLowerCase().endsWith(`.${ending}`);
}

/** Keeps letters, digits and a few other characters; avoids device names and hidden files. */
function safeName(id: string): string {
  const plain = id.normalize('NFC').replaceAll(/[^\p{L}\p{M}\p{N}._ -]/gu, '_');
  const short = withinBytes([...plain].slice(0, maxCharacters).join(''));
  const trimmed = trimWhere(short, (character) => character === '.' || character === ' ');
  return trimmed === '' || reserved.test(trimmed.split('.')[0] ?? '') ? `_${trimmed}` : trimmed;
}

/** The beginning of a text, as many whole characters as fit. */
function withinBytes(text: string): string {
  const bytes = Buffer.alloc(maxBytes);
  const { written } = new TextEncoder().encodeInto(text, bytes);
  return bytes.toString('utf8', 0, written);
}

const magic: readonly Readonly<{ ending: string; isOf: (bytes: Buffer) => boolean }>[] = [
  { ending: 'jpg', isOf: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 },
  { ending: 'png', isOf: (bytes) => bytes.toString('latin1', 1, 4) === 'PNG' },
  { ending: 'webp', isOf: (bytes) => bytes.toString('latin1', 8, 12) === 'WEBP' },
  { ending: 'gif', isOf: (bytes) => bytes.toString('latin1', 0, 3) === 'GIF' },
  { ending: 'tif', isOf: (bytes) => /^(?:II[*+]|MM\0[*+])/.test(bytes.toString('latin1', 0, 4)) },
  { ending: 'avif', isOf: (bytes) => /^ftypavi[fs]/.test(bytes.toString('latin1', 4, 12)) },
  { ending: 'heic', isOf: (bytes) => /^ftyp(?:hei|hev|mif|msf)/.test(bytes.toString('latin1', 4, 12)) },
];

/** The extension of a picture, determined by its content. */
export function endingOf(bytes: Buffer): string {
  return magic.find(({ isOf }) => isOf(bytes))?.ending ?? 'bin';
}
