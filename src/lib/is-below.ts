import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path lies in a folder, however deep; the folder itself does not. Links are not followed. */
export function isBelow(path: string, folder: string): boolean {
  return leadsDown(relative(folder, path));
}

/** Whether a way from a folder, as `relative` gives it, ends below it. */
export function leadsDown(way: string): boolean {
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
