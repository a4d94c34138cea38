/** Maximum length, in code points, of a name that people choose. */
export const nameLength = 100;

/** Whether a text is valid as a name that people choose and that formulas quote. */
export function isGivenName(name: string): boolean {
  if (name === '' || name.length > 2 * nameLength || [...name].length > nameLength) return false;
  return name.trim() === name && name.isWellFormed() && !/[\p{Cc}"“”\\]/u.test(name);
}

/** Describes which names are valid. */
export const givenNameRule = `A name must have 1 to ${nameLength} characters, and no control characters, quotes or backslashes`;
