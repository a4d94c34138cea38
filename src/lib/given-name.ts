/** Most characters of a name that people give, in code points. */
export const nameLength = 100;

/** Whether a text can be a name that people give, and that formulas quote. */
export function isGivenName(name: string): boolean {
  if (name === '' || name.length > 2 * nameLength || [...name].length > nameLength) return false;
  return name.trim() === name && name.isWellFormed() && !/[\p{Cc}"“”\\]/u.test(name);
}

/** What such a name may be. */
export const givenNameRule = `A name has 1 to ${nameLength} characters, without control characters, quotes and backslashes`;
