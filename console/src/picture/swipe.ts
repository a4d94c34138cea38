/** A finger that moves less than this, in pixels, does not swipe. */
const leastPx = 50;

/** Who follows swipes: whether one may begin, and what is done when it ends; 0 if it went to no side. */
type Follower = Readonly<{ mayBegin: () => boolean; onend: (by: 1 | -1 | 0) => void }>;

/** Follows single fingers that swipe over an element to the left, for what comes next, or to the right. @returns a function that ends this */
export function followSwipes(element: HTMLElement, { mayBegin, onend }: Follower): () => void {
  const stop = new AbortController();
  const fingers = new Set<number>();
  /** Where the finger began; null if it does not swipe. */
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
