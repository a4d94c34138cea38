import type { VideoFacts } from './messages.ts';

/** Stored facts of a video's file. */
type StoredVideo = Readonly<{ byteSize: number; width: number; height: number; durationSecs: number }>;

/** Seconds by which two readings of a length may differ. */
const sameSecs = 0.5;

/** Whether a file that was read again is the one that was stored. */
export function isSameVideo(
  stored: StoredVideo,
  { width, height, durationSecs }: VideoFacts,
  byteSize: number,
): boolean {
  return (
    byteSize === stored.byteSize &&
    width === stored.width &&
    height === stored.height &&
    Math.abs(durationSecs - stored.durationSecs) <= sameSecs
  );
}
