import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';

/** Programs of Chromium and Chrome; the first one needs the least processor time. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The first Chromium on PATH; null without one. */
export function findChromium() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const onPath = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return onPath.find((path) => existsSync(path)) ?? null;
}

/** `CHROMIUM`, or the first one on PATH. @throws Error without one. */
export function requireChromium() {
  const path = process.env.CHROMIUM ?? findChromium();
  if (path === null) throw new Error('No Chromium is on PATH; or set CHROMIUM to its path');
  return path;
}
