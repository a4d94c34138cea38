import { MATROSKA, MP4, MPEG_TS, QTFF, WEBM } from 'mediabunny';
import type { InputFormat } from 'mediabunny';
import { nameOfCode } from './codec-names.ts';
import type { TrackKind } from './codec-names.ts';

/**
 * The supported containers, by the names in records. Playlists are not among them: they
 * name other sources.
 */
export const containers: Readonly<Record<string, InputFormat>> = {
  mp4: MP4,
  mov: QTFF,
  webm: WEBM,
  mkv: MATROSKA,
  ts: MPEG_TS,
};

/** Containers with an index of packet times, so that reading all of them costs no media data. */
export const indexed: readonly string[] = ['mp4', 'mov'];

/** FFmpeg's names of codecs that the library names differently. */
const codecNames: Readonly<Record<string, string>> = { avc: 'h264', ulaw: 'pcm_mulaw', alaw: 'pcm_alaw' };

/** The name of a codec: FFmpeg's, otherwise the container's; null if there is no track. */
export function codecName(
  codec: string | null,
  internalId: string | number | Uint8Array | null,
  kind: TrackKind,
): string | null {
  if (codec === null) {
    const code = typeof internalId === 'string' ? printable(internalId) : null;
    return code && (nameOfCode(code, kind) ?? code);
  }
  const [, sample, order = 'le'] = /^pcm-([usf]\d+)(be)?$/.exec(codec) ?? [];
  // A single byte has no byte order.
  if (sample !== undefined) return sample.endsWith('8') ? `pcm_${sample}` : `pcm_${sample}${order}`;
  return codecNames[codec] ?? codec;
}

/** A four-character code or short name of a file, printable and trimmed. */
function printable(id: string): string | null {
  const text = id.replace(/[^\x20-\x7e]/g, '').trim();
  return text === '' ? null : text.slice(0, 40);
}
