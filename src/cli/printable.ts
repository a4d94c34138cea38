/** Control characters other than line feed and tab, which a terminal would obey. */
// oxlint-disable-next-line no-control-regex -- they are what is replaced
const controls = /[\0-\x08\x0B-\x1F\x7F-\x9F]/g;

/**
 * Makes a text safe to show in a terminal: names of files and texts in pictures come from others, and their control
 * characters would change colors, the title or what is already on the screen.
 */
export function printable(text: string): string {
  return text.replace(controls, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
