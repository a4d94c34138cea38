import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path is inside a folder, at any depth; the folder itself is not. Links are not followed. */
export function isBelow(path: string, folder: string): boolean {
  return leadsDown(relative(folder, path));
}

/** Whether a relative path, as returned by `relative`, leads below its folder. */
export function leadsDown(way: string): boolean {
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
