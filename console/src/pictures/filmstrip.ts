export type Size = Readonly<{ width: number; height: number }>;

/** The position of a frame that covers a box, like the poster below it. */
export function frameBox(video: Size, box: Size): Size & Readonly<{ left: number; top: number }> {
  const scale = Math.max(box.width / Math.max(1, video.width), box.height / Math.max(1, video.height));
  const [width, height] = [video.width * scale, video.height * scale];
  return { left: (box.width - width) / 2, top: (box.height - height) / 2, width, height };
}

/** The frame at a position from 0 (left) to 1 (right). */
export function frameAt(place: number, count: number): number {
  return Math.min(count - 1, Math.max(0, Math.floor(place * count)));
}
