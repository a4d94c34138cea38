/** Handles Enter in a field that is no part of the form around it, which is not sent. */
export function onEnter(act: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    act();
  };
}
