import { inflateSync } from 'node:zlib';
import { pngChunksOf, pngSignature, writePngChunk } from '../../lib/png-chunks.ts';
import type { PngChunk } from '../../lib/png-chunks.ts';
import { exportLimits } from '../limits.ts';
import { collect, LargeMetadataError } from './container.ts';
import type { Container } from './container.ts';

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

/** Chunk types that can contain a packet; some programs write it as uncompressed text. */
const textTypes: Readonly<Record<string, (rest: Buffer) => Buffer | null>> = {
  iTXt: internationalText,
  zTXt: (rest) => inflated(rest.subarray(1)),
  tEXt: (rest) => rest,
};

function isXmp({ type, data }: PngChunk): boolean {
  return Object.hasOwn(textTypes, type) && data.subarray(0, keyword.length).equals(keyword);
}

function textOf({ type, data }: PngChunk): Buffer | null {
  return textTypes[type]?.(data.subarray(keyword.length)) ?? null;
}

/** The text of an `iTXt` chunk: it follows two flags, a language and a translated keyword, both zero-terminated. */
function internationalText(rest: Buffer): Buffer | null {
  const language = rest.indexOf(0, 2);
  const translation = language === -1 ? -1 : rest.indexOf(0, language + 1);
  if (translation === -1) return null;
  const text = rest.subarray(translation + 1);
  return rest[0] === 1 ? inflated(text) : text;
}

/** @throws LargeMetadataError */
function inflated(bytes: Buffer): Buffer | null {
  try {
    return inflateSync(bytes, { maxOutputLength: exportLimits.packetBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new LargeMetadataError('the packet is too large');
    return null;
  }
}

/** All chunks; null if they do not form a complete file. @throws LargeMetadataError */
function chunksOf(bytes: Buffer): PngChunk[] | null {
  const chunks = collect(pngChunksOf(bytes));
  return chunks.at(-1)?.type === 'IEND' ? chunks : null;
}
