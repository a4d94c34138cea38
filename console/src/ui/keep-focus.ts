const focusable =
  'a[href], button, input, select, textarea, summary, iframe, video[controls], [contenteditable="true"], [tabindex]';

/** What belongs together. */
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

/** The first element in this one, or itself, that takes the focus by Tab. */
function firstIn(root: Element | null | undefined): HTMLElement | undefined {
  if (root == null) return undefined;
  const all = [root, ...root.querySelectorAll(focusable)];
  return all.find((each): each is HTMLElement => isUsable(each) && each.matches(focusable) && each.tabIndex >= 0);
}

/** What stands at the place of an element that is gone, or is like it and precedes it; else what contains it. */
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
 * Keeps the place of who works by keyboard: when the focused element is removed or hidden, what takes its place gets the
 * focus, and one that was disabled gets it back. Otherwise, the next Tab would begin at the top of the page.
 *
 * @returns what ends this.
 */
export function keepFocus(): () => void {
  let focused: HTMLElement | null = null;
  let places: readonly Place[] = [];
  /** What had the focus before a dialog. */
  const openers = new WeakMap<Element, HTMLElement>();

  const enter = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement)) return;
    const dialog = target.closest('dialog');
    if (dialog !== null && focused !== null && !dialog.contains(focused) && !openers.has(dialog))
      openers.set(dialog, focused);
    [focused, places] = [target, placesOf(target)];
  };
  // A click beside everything, or another window, is no loss.
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

  // Not at once, because the focus may be on its way: Tab in a changed field first sends its value, which changes the page.
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
