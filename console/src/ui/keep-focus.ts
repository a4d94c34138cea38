const focusable =
  'a[href], button, input, select, textarea, summary, iframe, video[controls], [contenteditable="true"], [tabindex]';

/** Elements whose contents belong together. */
const groups = 'li, ul, ol, form, fieldset, .menu, [role]';

/** Where an element was among the children of its parent. */
type Place = Readonly<{ element: Element; parent: Element; at: number }>;

function isUsable(element: Element | null | undefined): element is HTMLElement {
  return (
    element instanceof HTMLElement &&
    element.isConnected &&
    !element.matches(':disabled') &&
    element.checkVisibility({ visibilityProperty: true })
  );
}

function placesOf(element: Element): Place[] {
  const places: Place[] = [];
  for (let own = element; own.parentElement !== null; own = own.parentElement) {
    places.push({ element: own, parent: own.parentElement, at: [...own.parentElement.children].indexOf(own) });
  }
  return places;
}

/** The first element within this one, or itself, that is reachable with Tab. */
function firstIn(root: Element | null | undefined): HTMLElement | undefined {
  if (root == null) return undefined;
  const all = [root, ...root.querySelectorAll(focusable)];
  return all.find((each): each is HTMLElement => isUsable(each) && each.matches(focusable) && each.tabIndex >= 0);
}

/**
 * The element that takes the place of one that is gone: the next one, or a similar one before it, or else a
 * container.
 */
function heirOf(places: readonly Place[], openers: WeakMap<Element, HTMLElement>): HTMLElement | undefined {
  for (const { element, parent, at } of places) {
    const opener = openers.get(element);
    if (!element.isConnected && isUsable(opener)) return opener;
    if (!parent.isConnected) continue;
    const next = element.isConnected ? element.nextElementSibling : parent.children[at];
    const before = element.isConnected ? undefined : parent.children[at - 1];
    const isLike = before?.tagName === element.tagName && before.className === element.className;
    const found = firstIn(next) ?? (isLike ? firstIn(before) : parent.matches(groups) ? firstIn(parent) : undefined);
    if (found !== undefined) return found;
    if (isUsable(parent) && parent.matches('[tabindex]')) return parent;
    if (parent instanceof HTMLDialogElement) return firstIn(parent);
  }
  return undefined;
}

/**
 * Keeps the place of keyboard users: when the focused element is removed or hidden, whatever takes its place gets the
 * focus, and a disabled element gets it back once enabled. Otherwise, the next Tab would start at the top of the
 * page.
 *
 * @returns a function that stops this.
 */
export function keepFocus(): () => void {
  let focused: HTMLElement | null = null;
  let places: readonly Place[] = [];
  /** The element that had the focus before each dialog. */
  const openers = new WeakMap<Element, HTMLElement>();

  const enter = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement)) return;
    const dialog = target.closest('dialog');
    if (dialog !== null && focused !== null && !dialog.contains(focused) && !openers.has(dialog))
      openers.set(dialog, focused);
    [focused, places] = [target, placesOf(target)];
  };
  // Clicking an empty area or another window does not count as losing the focus.
  const leave = ({ target }: FocusEvent) => queueMicrotask(() => isUsable(target as Element) && forget(target));
  const forget = (target: EventTarget | null) => {
    if (focused === target && document.activeElement === document.body) focused = null;
  };
  const check = () => {
    if (focused === null || document.activeElement !== document.body) return;
    const isWaiting = focused.isConnected && focused.matches(':disabled');
    if (isWaiting) return;
    const next = isUsable(focused) ? focused : (heirOf(places, openers) ?? document.getElementById('results'));
    next?.focus({ preventScroll: true });
  };

  // Delayed, because the focus may be moving: Tab in a changed field first submits its value, which changes the page.
  let later: ReturnType<typeof setTimeout> | undefined;
  const observer = new MutationObserver(() => {
    later ??= setTimeout(() => {
      later = undefined;
      check();
    });
  });
  const attributeFilter = ['disabled', 'hidden'];
  observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter });
  addEventListener('focusin', enter);
  addEventListener('focusout', leave);
  return () => {
    observer.disconnect();
    clearTimeout(later);
    removeEventListener('focusin', enter);
    removeEventListener('focusout', leave);
  };
}
