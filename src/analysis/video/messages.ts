import type { ElementErrorCode } from '../../lib/errors.ts';

/** Facts from the container of a video. */
export type VideoFacts = Readonly<{
  container: string;
  codecVideo: string | null;
  codecAudio: string | null;
  /** Size in pixels as displayed: upright, with square pixels. */
  width: number;
  height: number;
  /** Frames per second; their average if the rate varies. */
  fps: number | null;
  durationSecs: number;
}>;

/** A frame of the video as JPEG, upright, as displayed. */
export type VideoStill = Readonly<{ timeSecs: number; width: number; height: number; jpeg: Uint8Array }>;

/** Frames across the length, the first good one first, and a small version of that. `fault` says why there are none. */
export type VideoStills = Readonly<{
  stills: readonly VideoStill[];
  poster: VideoStill | null;
  fault: string | null;
}>;

/** No stills, and why. */
export function none(fault: string): VideoStills {
  return { stills: [], poster: null, fault };
}

/** How much of a video is wanted: the container's facts, the poster too, or frames across the length too. */
export type Wanted = 'facts' | 'poster' | 'frames';

/** A video to read. Reports contain its number, so that a late one is not taken for the next video's. */
export type Task = Readonly<{
  video: number;
  size: number;
  isSeekable: boolean;
  wants: Wanted;
}>;

/** Messages to the reading process. */
export type Order = (Readonly<{ type: 'read' }> & Task) | Readonly<{ type: 'bytes'; id: number; bytes: Uint8Array }>;

/** Messages from the process. `fault` and `stills` are the last one, `facts` if nothing more is wanted. */
export type Report = Readonly<{ video: number }> &
  (
    | Readonly<{ type: 'need'; id: number; start: number; end: number }>
    | Readonly<{ type: 'facts'; facts: VideoFacts }>
    | Readonly<{ type: 'fault'; code: ElementErrorCode; message: string }>
    | (Readonly<{ type: 'stills' }> & VideoStills)
  );
