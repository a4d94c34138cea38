/** Time that a finger rests on an item before it drags it; a finger that moves earlier scrolls. */
const restMs = 300;
/** Distance in pixels from which a pressed mouse drags. */
const leastPx = 6;
/** Within this distance from the upper and lower edge, the page scrolls by this much per frame, in pixels. */
const [edgePx, stepPx] = [56, 10];

/** The numbers of an item that is dragged, and of the item whose place it would take. */
export type Drag = Readonly<{ from: number; to: number }>;

type Follower = Readonly<{
  /** Called while an item is dragged, and with null when that ends. */
  ondrag: (drag: Drag | null) => void;
  ondrop: (drag: Drag) => void;
}>;

type Pressed = Readonly<{ pointerId: number; from: number; x: number; y: number }>;

/** Follows how the items of a list are dragged by a mouse, a pen or a finger. @returns a function that stops this */
export function followDrags(list: HTMLElement, follower: Follower): () => void {
  const drags = new Drags(list, follower);
  return () => drags.stop();
}

class Drags {
  readonly #list: HTMLElement;
  readonly #follower: Follower;
  readonly #stop = new AbortController();
  #pressed: Pressed | null = null;
  #drag: Drag | null = null;
  #rest: ReturnType<typeof setTimeout> | undefined;
  /** Where the pointer is in the window. */
  #at = { x: 0, y: 0 };

  constructor(list: HTMLElement, follower: Follower) {
    [this.#list, this.#follower] = [list, follower];
    const { signal } = this.#stop;
    const hold = (event: Event) => this.#drag !== null && event.preventDefault();
    list.addEventListener('pointerdown', (event) => this.#press(event), { signal });
    // Otherwise, a finger that drags would scroll, or open the menu of a link.
    list.addEventListener('touchmove', hold, { signal, passive: false });
    list.addEventListener('contextmenu', hold, { signal });
    addEventListener('pointermove', (event) => this.#move(event), { signal });
    addEventListener('pointerup', (event) => this.#release(event), { signal });
    addEventListener('pointercancel', () => this.#end(), { signal });
    addEventListener('keydown', ({ key }) => key === 'Escape' && this.#end(), { signal });
  }

  stop(): void {
    this.#end();
    this.#stop.abort();
  }

  #press({ target, button, pointerId, pointerType, clientX: x, clientY: y }: PointerEvent): void {
    // Several fingers zoom.
    if (this.#pressed !== null) return this.#end();
    const from = this.#numberOf(target as Element);
    if (from === -1 || button !== 0 || (target as Element).closest('button') !== null) return;
    this.#pressed = { pointerId, from, x, y };
    this.#at = { x, y };
    if (pointerType !== 'mouse') this.#rest = setTimeout(() => this.#begin(from), restMs);
  }

  #move({ pointerId, pointerType, clientX, clientY }: PointerEvent): void {
    if (this.#pressed?.pointerId !== pointerId) return;
    const { from, x, y } = this.#pressed;
    this.#at = { x: clientX, y: clientY };
    if (this.#drag === null) {
      if (Math.hypot(clientX - x, clientY - y) < leastPx) return;
      if (pointerType !== 'mouse') return this.#end();
      this.#begin(from);
    }
    this.#aim(from);
  }

  #release({ pointerId }: PointerEvent): void {
    if (this.#pressed?.pointerId !== pointerId) return;
    const drag = this.#drag;
    this.#end();
    if (drag === null) return;
    this.#ignoreClick();
    this.#follower.ondrop(drag);
  }

  #begin(from: number): void {
    this.#show({ from, to: from });
    this.#scroll();
  }

  /** Takes the item below the pointer as the one whose place the dragged one would take. */
  #aim(from: number): void {
    const to = this.#numberOf(document.elementFromPoint(this.#at.x, this.#at.y));
    if (to !== -1 && to !== this.#drag?.to) this.#show({ from, to });
  }

  #end(): void {
    clearTimeout(this.#rest);
    this.#pressed = null;
    if (this.#drag !== null) this.#show(null);
  }

  #show(drag: Drag | null): void {
    this.#drag = drag;
    this.#follower.ondrag(drag);
  }

  /** The click that follows a drag would open the item. */
  #ignoreClick(): void {
    const ignore = (event: Event) => {
      event.preventDefault();
      event.stopPropagation();
    };
    this.#list.addEventListener('click', ignore, true);
    setTimeout(() => this.#list.removeEventListener('click', ignore, true));
  }

  /** Scrolls the page as long as an item is dragged near its edge. */
  #scroll(): void {
    const page = this.#list.closest('main');
    if (this.#drag === null || page === null) return;
    const { top, bottom } = page.getBoundingClientRect();
    if (this.#at.y < top + edgePx) page.scrollBy(0, -stepPx);
    if (this.#at.y > bottom - edgePx) page.scrollBy(0, stepPx);
    this.#aim(this.#drag.from);
    requestAnimationFrame(() => this.#scroll());
  }

  #numberOf(element: Element | null): number {
    return [...this.#list.children].findIndex((item) => item.contains(element));
  }
}
