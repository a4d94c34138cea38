import type { ElementErrorCode } from '../../lib/errors.ts';
import type { EmbeddedFields } from '../analyzers/embedded-values.ts';
import type { PreviewFormat } from '../preview-formats.ts';

/** Long side of the poster in pixels. */
export const posterSide = 512;
/** Number of frames in a filmstrip. */
export const filmstripFrames = 10;

/** Facts from the container of a video. */
export type VideoFacts = Readonly<{
  container: string;
  codecVideo: string | null;
  codecAudio: string | null;
  /** Size in pixels as displayed: upright, with square pixels. */
  width: number;
  height: number;
  /** Frames per second; the average if the rate varies. */
  fps: number | null;
  durationSecs: number;
}>;

/** A frame of the video as JPEG, upright, as displayed. */
export type VideoStill = Readonly<{ timeSecs: number; width: number; height: number; jpeg: Uint8Array }>;

/**
 * Frames across the length of the video, the first good one first, and a small version of that one; or a filmstrip. `fault`
 * is the reason if there are none.
 */
export type VideoStills = Readonly<{
  stills: readonly VideoStill[];
  poster: VideoStill | null;
  /** The file of the filmstrip. */
  filmstrip: Uint8Array | null;
  fault: string | null;
}>;

/** No stills, and why. */
export function none(fault: string): VideoStills {
  return { stills: [], poster: null, filmstrip: null, fault };
}

/** Frames at equal intervals, side by side in one picture, each of this size. */
export type Filmstrip = Readonly<{ width: number; height: number; format: PreviewFormat }>;

/**
 * What to read besides the container's facts: nothing, the poster, also frames across the length and the metadata, or a
 * filmstrip.
 */
export type WantedOfVideo = 'facts' | 'poster' | 'frames' | Filmstrip;

/** A video to read. Reports contain its number, so that a late one is not taken for the next video's. */
export type VideoTask = Readonly<{
  video: number;
  size: number;
  isSeekable: boolean;
  wants: WantedOfVideo;
  /** The language of the record; metadata may have texts in several. */
  lang: string;
}>;

/** Messages to the reading process. */
export type VideoOrder =
  (Readonly<{ type: 'read' }> & VideoTask) | Readonly<{ type: 'bytes'; id: number; bytes: Uint8Array }>;

/** Messages from the process. The last one is `fault`, `metadata` if frames are wanted, else `stills`, or `facts` if nothing more is. */
export type VideoReport = Readonly<{ video: number }> &
  (
    | Readonly<{ type: 'need'; id: number; start: number; end: number }>
    | Readonly<{ type: 'facts'; facts: VideoFacts }>
    | Readonly<{ type: 'fault'; code: ElementErrorCode; message: string }>
    | Readonly<{ type: 'stills'; stills: VideoStills }>
    | Readonly<{ type: 'metadata'; metadata: EmbeddedFields }>
  );
