const steps: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

type Center = Readonly<{ element: HTMLElement; x: number; y: number }>;

function centerOf(element: HTMLElement): Center {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { element, x: left + width / 2, y: top + height / 2 };
}

/** Moves the focus to the first result. @returns whether there is one */
export function focusFirstResult(): boolean {
  const first = document.querySelector<HTMLElement>('main [data-id]');
  first?.focus();
  return first !== null;
}

/** Arrow keys move the focus among results: left and right in their order, up and down to the nearest one. */
export function moveFocus(event: KeyboardEvent): void {
  const step = steps[event.key];
  const list = event.currentTarget as HTMLElement;
  const tiles = [...list.querySelectorAll<HTMLElement>('[data-id]')];
  const at = tiles.indexOf(document.activeElement as HTMLElement);
  const own = tiles[at];
  if (step === undefined || own === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const [x, y] = step;
  const next = y === 0 ? tiles[at + x] : nearest(centerOf(own), tiles.map(centerOf), y);
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** The nearest element of the row above or below. */
function nearest(from: Center, all: readonly Center[], direction: number): HTMLElement | undefined {
  const beyond = all.filter(({ y }) => (y - from.y) * direction > 4);
  const row = Math.min(...beyond.map(({ y }) => Math.abs(y - from.y)));
  const inRow = beyond.filter(({ y }) => Math.abs(Math.abs(y - from.y) - row) < 24);
  return inRow.toSorted((a, b) => Math.abs(a.x - from.x) - Math.abs(b.x - from.x))[0]?.element;
}
