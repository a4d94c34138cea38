/** The position and size of a picture in its page. */
export type Box = Readonly<{ left: number; top: number; width: number; height: number }>;

export type PageLayout = Readonly<{ boxes: readonly Box[]; height: number }>;

export type LayoutOptions = Readonly<{
  width: number;
  /** The height that rows should come close to. */
  target: number;
  gap: number;
  /** The last row of the last page is not stretched. */
  isLast: boolean;
}>;

/** Limits of the aspect ratio: extreme pictures are cropped rather than shown as a line. */
const [narrowest, widest] = [0.4, 3.5];
/** Maximum height of a row, as a multiple of its target. */
const highest = 1.6;

/** The aspect ratio in which a picture is shown. */
export function shownAspect(width: number, height: number): number {
  return Math.min(widest, Math.max(narrowest, width / Math.max(1, height)));
}

/** Whether a picture does not fill its box exactly; boxes have whole heights, so a deviation of 2 % is tolerated. */
export function isCropped(picture: Readonly<{ width: number; height: number }>, box: Box): boolean {
  return Math.abs((picture.width * box.height) / (picture.height * box.width) - 1) > 0.02;
}

/**
 * Breaks a page of pictures into rows that fill the width, with heights as close as possible to the target: the
 * minimum sum of squares over all ways to break them. Each page is laid out separately, so that one that was removed
 * can be restored.
 */
export function layoutPage(aspects: ArrayLike<number>, { width, target, gap, isLast }: LayoutOptions): PageLayout {
  const count = aspects.length;
  const costs = new Float64Array(count + 1).fill(Infinity);
  const starts = new Int32Array(count + 1);
  costs[0] = 0;
  for (let end = 1; end <= count; end += 1) {
    let sum = 0;
    for (let start = end - 1; start >= 0; start -= 1) {
      sum += aspects[start] ?? 1;
      const height = (width - gap * (end - start - 1)) / sum;
      const isLoose = isLast && end === count && height > target;
      const cost = (costs[start] ?? Infinity) + (isLoose ? 0 : Math.log(height / target) ** 2);
      if (cost < (costs[end] ?? Infinity)) [costs[end], starts[end]] = [cost, start];
      if (height < target / 3) break;
    }
  }
  const breaks: number[] = [];
  for (let end = count; end > 0; end = starts[end] ?? 0) breaks.unshift(end);
  return placeRows(aspects, breaks, { width, target, gap, isLast });
}

function placeRows(
  aspects: ArrayLike<number>,
  breaks: readonly number[],
  { width, target, gap, isLast }: LayoutOptions,
): PageLayout {
  const boxes: Box[] = [];
  let [top, start] = [0, 0];
  for (const end of breaks) {
    let sum = 0;
    for (let at = start; at < end; at += 1) sum += aspects[at] ?? 1;
    const full = (width - gap * (end - start - 1)) / sum;
    const most = isLast && end === aspects.length ? target : target * highest;
    const height = Math.floor(Math.min(full, most));
    let left = 0;
    for (let at = start; at < end; at += 1) {
      const own = (aspects[at] ?? 1) * (full <= most ? full : height);
      boxes.push({ left, top, width: own, height });
      left += own + gap;
    }
    top += height + gap;
    start = end;
  }
  return { boxes, height: top };
}
