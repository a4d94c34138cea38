import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { it } from 'vitest';
import { findChromium } from '../../scripts/find-chromium.js';

/** Chromium on this machine, or null; tests of pages are skipped without one. */
export const browserPath = findChromium();

/** Appended to titles: why a test does not run here. */
export const whyNoBrowser = browserPath === null ? ' (skipped: no Chromium)' : '';

const flags = `--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
  --disable-component-update --disable-sync --renderer-process-limit=1`;

/** A browser that keeps nothing: every page has an empty cache and storage of its own. */
export async function openBrowser(): Promise<Browser> {
  if (browserPath === null) throw new Error('No Chromium is on PATH');
  return chromium.launch({ executablePath: browserPath, args: flags.split(/\s+/) });
}

/** Opens the browser of this process, or enters it again. */
type EnterBrowser = () => Promise<Browser>;

/** Tests and hooks whose pages are in the browser that the files of this process share: another is four more processes. */
export const withBrowser = it.extend<{ $worker: { enterBrowser: EnterBrowser } }>({
  enterBrowser: [
    // oxlint-disable-next-line no-empty-pattern -- a fixture names here what it needs
    async ({}, use) => {
      let browser: Promise<Browser> | undefined;
      await use(() => (browser ??= openBrowser()));
      await (await browser)?.close();
    },
    { scope: 'worker' },
  ],
});

/** A page of its own, and what went wrong in it: exceptions, and what the page's policy or the network refused. */
export async function openPage(
  browser: Browser,
  { width = 1280, height = 900 } = {},
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ viewport: { width, height } });
  context.setDefaultTimeout(120_000); // On a machine with other work, too.
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  return { page, faults };
}
