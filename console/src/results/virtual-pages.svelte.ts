import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
type Options = Readonly<{ scroller: () => HTMLElement | null; heights: () => readonly number[]; top: () => number }>;

/** A page of results, and how far below the first one it starts. */
export type VirtualPage = Readonly<{ index: number; start: number }>;

/** The pages near the visible ones, and their positions. */
export class VirtualPages {
  items = $state.raw<readonly VirtualPage[]>([]);
  height = $state(0);

  /** Follows the scrolling of an element; for use in a component only. */
  constructor({ scroller, heights, top }: Options) {
    const settings = () => ({
      count: heights().length,
      getScrollElement: scroller,
      estimateSize: (at: number) => heights()[at] ?? 0,
      observeElementRect,
      observeElementOffset,
      scrollToFn: elementScroll,
      overscan: 1,
      scrollMargin: top(),
      onChange: () => this.#read(virtualizer),
    });
    const virtualizer = new Virtualizer<HTMLElement, HTMLElement>(settings());
    $effect(() => virtualizer._didMount());
    $effect(() => {
      virtualizer.setOptions(settings());
      virtualizer._willUpdate();
      virtualizer.measure();
      this.#read(virtualizer);
    });
  }

  #read(virtualizer: Virtualizer<HTMLElement, HTMLElement>): void {
    const { scrollMargin } = virtualizer.options;
    this.items = virtualizer.getVirtualItems().map(({ index, start }) => ({ index, start: start - scrollMargin }));
    this.height = virtualizer.getTotalSize();
  }
}
