/** Control characters other than line feed and tab; a terminal obeys them. */
// oxlint-disable-next-line no-control-regex -- they are what is replaced
const controls = /[\0-\x08\x0B-\x1F\x7F-\x9F]/g;

/**
 * A text as a terminal may show it: names of files and texts in pictures come from others, and their control characters
 * would change colors, the title or what is already on the screen.
 */
export function printable(text: string): string {
  return text.replace(controls, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
