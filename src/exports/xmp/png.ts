import { inflateSync } from 'node:zlib';
import { pngChunksOf, pngSignature, writePngChunk } from '../../lib/png-chunks.ts';
import type { PngChunk } from '../../lib/png-chunks.ts';
import type { Container } from './container.ts';
import { maxPacketBytes } from './container.ts';

const keyword = Buffer.from('XML:com.adobe.xmp\0', 'latin1');

/** PNG: the packet is an `iTXt` chunk right after the header. */
export const png: Container = {
  isOf: (bytes) => bytes.subarray(0, pngSignature.length).equals(pngSignature),
  read(bytes) {
    const found = chunksOf(bytes)?.find(isXmp);
    return found === undefined ? null : textOf(found);
  },
  write(bytes, packet) {
    const chunks = chunksOf(bytes);
    const [header] = chunks ?? [];
    if (chunks === null || header?.type !== 'IHDR') return null;
    // Not compressed, no language, no translated keyword.
    const written = writePngChunk('iTXt', Buffer.concat([keyword, Buffer.alloc(4), packet]));
    const others = chunks.slice(1).filter((chunk) => !isXmp(chunk));
    const kept = others.map(({ start, end }) => bytes.subarray(start, end));
    return [bytes.subarray(0, header.end), ...written, ...kept, bytes.subarray(chunks.at(-1)?.end)];
  },
};

/** Chunk types that can contain a packet; some programs write it as plain text. */
const textTypes: Readonly<Record<string, (rest: Buffer) => string | null>> = {
  iTXt: internationalText,
  zTXt: (rest) => inflated(rest.subarray(1)),
  tEXt: (rest) => rest.toString('utf8'),
};

function isXmp({ type, data }: PngChunk): boolean {
  return Object.hasOwn(textTypes, type) && data.subarray(0, keyword.length).equals(keyword);
}

function textOf({ type, data }: PngChunk): string | null {
  return textTypes[type]?.(data.subarray(keyword.length)) ?? null;
}

/** The text after two flags, a language and a translated keyword, the latter two each terminated by a zero byte. */
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

/** All chunks; null if they do not form a complete file. */
function chunksOf(bytes: Buffer): PngChunk[] | null {
  const chunks = [...pngChunksOf(bytes)];
  return chunks.at(-1)?.type === 'IEND' ? chunks : null;
}
