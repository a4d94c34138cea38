/** Minimum distance of a swipe, in pixels. */
const leastPx = 50;

/** Handles swipes: whether one may start, and what to do at its end (0 if it went to neither side). */
type Follower = Readonly<{ mayBegin: () => boolean; onend: (by: 1 | -1 | 0) => void }>;

/**
 * Follows single-finger swipes over an element: left for the next result, right for the previous one.
 *
 * @returns a function that stops this
 */
export function followSwipes(element: HTMLElement, { mayBegin, onend }: Follower): () => void {
  const stop = new AbortController();
  const fingers = new Set<number>();
  /** Where the finger started; null if it is not swiping. */
  let from: Readonly<{ x: number; y: number }> | null = null;

  const down = ({ pointerId, pointerType, clientX: x, clientY: y }: PointerEvent) => {
    if (pointerType !== 'touch') return;
    fingers.add(pointerId);
    // Several fingers zoom.
    from = fingers.size === 1 && mayBegin() ? { x, y } : null;
  };
  const up = ({ pointerId, clientX, clientY }: PointerEvent) => {
    if (!fingers.delete(pointerId) || from === null) return;
    const [right, low] = [clientX - from.x, clientY - from.y];
    from = null;
    const isAside = Math.abs(right) >= leastPx && Math.abs(right) > 2 * Math.abs(low);
    onend(isAside ? (right < 0 ? 1 : -1) : 0);
  };
  const cancel = ({ pointerId }: PointerEvent) => {
    if (fingers.delete(pointerId)) from = null;
  };

  element.addEventListener('pointerdown', down, { signal: stop.signal });
  // A finger may leave the element.
  addEventListener('pointerup', up, { signal: stop.signal });
  addEventListener('pointercancel', cancel, { signal: stop.signal });
  return () => stop.abort();
}
