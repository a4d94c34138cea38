import { keepScroll, keptScroll } from '../state/route.svelte.ts';
import type { ResultPages } from './pages.svelte.ts';

/** Pause after the last movement before the position is saved. */
const pauseMs = 150;
/** Maximum number of pages that are read to restore a position. */
const mostPages = 40;

/** Restores the scroll position of the results, and saves it from then on. @returns a function that stops this */
export function followScroll(scroller: HTMLElement, pages: ResultPages): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const keep = () => {
    clearTimeout(timer);
    const step = location.href;
    timer = setTimeout(() => location.href === step && keepScroll(Math.round(scroller.scrollTop)), pauseMs);
  };
  const top = keptScroll();
  scroller.scrollTo(0, 0);
  void comeBack(scroller, pages, { top, isOver: () => isOver }).then(() => {
    if (!isOver) scroller.addEventListener('scroll', keep, { passive: true });
  });
  return () => {
    isOver = true;
    clearTimeout(timer);
    scroller.removeEventListener('scroll', keep);
  };
}

type Target = Readonly<{ top: number; isOver: () => boolean }>;

/** Scrolls to a position, reading pages until they reach that far. */
async function comeBack(scroller: HTMLElement, pages: ResultPages, { top, isOver }: Target): Promise<void> {
  if (top === 0) return;
  for (let read = 0; read < mostPages && !isOver(); read += 1) {
    await pages.loadNext();
    // Waits a few frames: pages are laid out once their width is known.
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    if (isOver()) return;
    scroller.scrollTo(0, top);
    if (scroller.scrollTop >= top - 1 || pages.isComplete || pages.state === 'failed') return;
  }
}
