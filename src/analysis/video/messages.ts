import type { ElementErrorCode } from '../../errors.ts';

/** What the container of a video says of it. */
export type VideoFacts = Readonly<{
  container: string;
  codecVideo: string | null;
  codecAudio: string | null;
  /** Size in pixels as it is shown: upright, with square pixels. */
  width: number;
  height: number;
  /** Pictures per second; their average where the rate varies. */
  fps: number | null;
  durationSecs: number;
}>;

/** A picture of the video as JPEG, upright, as it is shown. */
export type VideoStill = Readonly<{ timeSecs: number; width: number; height: number; jpeg: Uint8Array }>;

/** Pictures across the length, the first good one first, and a small one of that. `fault` says why there are none. */
export type VideoStills = Readonly<{
  stills: readonly VideoStill[];
  poster: VideoStill | null;
  fault: string | null;
}>;

/** No stills, and why. */
export function none(fault: string): VideoStills {
  return { stills: [], poster: null, fault };
}

/** How much of a video is wanted: what its container says, the poster too, or pictures across the length too. */
export type Wanted = 'facts' | 'poster' | 'frames';

/** A video to read. Reports carry its number, so that a late one is not taken for the next video's. */
export type Task = Readonly<{
  video: number;
  size: number;
  isSeekable: boolean;
  wants: Wanted;
}>;

/** What the reading process is told. */
export type Order = (Readonly<{ type: 'read' }> & Task) | Readonly<{ type: 'bytes'; id: number; bytes: Uint8Array }>;

/** What it says. `fault` and `stills` are its last word, `facts` where nothing more is wanted. */
export type Report = Readonly<{ video: number }> &
  (
    | Readonly<{ type: 'need'; id: number; start: number; end: number }>
    | Readonly<{ type: 'facts'; facts: VideoFacts }>
    | Readonly<{ type: 'fault'; code: ElementErrorCode; message: string }>
    | (Readonly<{ type: 'stills' }> & VideoStills)
  );
