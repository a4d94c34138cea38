/** Handles Enter in a field instead of the browser, which would submit the form around it or start a new line. */
export function onEnter(act: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    act();
  };
}
