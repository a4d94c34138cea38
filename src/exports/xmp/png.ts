import { crc32, inflateSync } from 'node:zlib';
import type { Container } from './container.ts';
import { maxPacketBytes } from './container.ts';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const keyword = Buffer.from('XML:com.adobe.xmp\0', 'latin1');

type Chunk = Readonly<{ type: string; start: number; end: number; data: Buffer }>;

/** PNG: the packet is a chunk `iTXt` right after the header. */
export const png: Container = {
  isOf: (bytes) => bytes.subarray(0, signature.length).equals(signature),
  read(bytes) {
    const found = chunksOf(bytes)?.find(isXmp);
    return found === undefined ? null : textOf(found);
  },
  write(bytes, packet) {
    const chunks = chunksOf(bytes);
    const [header] = chunks ?? [];
    if (chunks === null || header?.type !== 'IHDR') return null;
    // Not compressed, no language, no translated keyword.
    const data = Buffer.concat([Buffer.from('iTXt', 'latin1'), keyword, Buffer.alloc(4), packet]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length - 4);
    sum.writeUInt32BE(crc32(data));
    const others = chunks.slice(1).filter((chunk) => !isXmp(chunk));
    const kept = others.map(({ start, end }) => bytes.subarray(start, end));
    return [bytes.subarray(0, header.end), length, data, sum, ...kept, bytes.subarray(chunks.at(-1)?.end)];
  },
};

/** Some programs write the packet in a chunk of plain text. */
const textTypes: Readonly<Record<string, (rest: Buffer) => string | null>> = {
  iTXt: internationalText,
  zTXt: (rest) => inflated(rest.subarray(1)),
  tEXt: (rest) => rest.toString('utf8'),
};

function isXmp({ type, data }: Chunk): boolean {
  return Object.hasOwn(textTypes, type) && data.subarray(0, keyword.length).equals(keyword);
}

function textOf({ type, data }: Chunk): string | null {
  return textTypes[type]?.(data.subarray(keyword.length)) ?? null;
}

/** Behind two flags, a language and a translated keyword, which end with a zero each. */
function internationalText(rest: Buffer): string | null {
  const language = rest.indexOf(0, 2);
  const translation = language === -1 ? -1 : rest.indexOf(0, language + 1);
  if (translation === -1) return null;
  const text = rest.subarray(translation + 1);
  return rest[0] === 1 ? inflated(text) : text.toString('utf8');
}

function inflated(bytes: Buffer): string | null {
  try {
    return inflateSync(bytes, { maxOutputLength: maxPacketBytes }).toString('utf8');
  } catch {
    return null;
  }
}

/** All chunks; null where they do not follow each other up to the end. */
function chunksOf(bytes: Buffer): Chunk[] | null {
  const chunks: Chunk[] = [];
  for (let at = signature.length; at + 12 <= bytes.length;) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    const type = bytes.toString('latin1', at + 4, at + 8);
    chunks.push({ type, start: at, end, data: bytes.subarray(at + 8, end - 4) });
    if (type === 'IEND') return chunks;
    at = end;
  }
  return null;
}
