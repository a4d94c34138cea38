/** Whether a key goes into a field, or into the formula editor, whose shadow tree hides its elements from the page. */
export function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, select, textarea'));
}
