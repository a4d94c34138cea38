import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path lies in a folder, however deep; the folder itself does not. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !isAbsolute(way) && way.split(sep, 1)[0] !== '..';
}
