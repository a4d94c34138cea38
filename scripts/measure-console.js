// Measures the console in Chromium against a service with 100 000 records:
//   npm run console:measure [-- RECORDS [SECONDS]]
// First contentful paint, the time from a search to its first pictures, and the page's frames per second (from a trace)
// and heap while it is scrolled for SECONDS. Figures are meaningful only on an idle machine. Needs Chromium on PATH.
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { openWorld } from '../dist/bench/world.js';
import { startServer } from '../dist/bench/processes.js';
import { median, report } from '../dist/bench/measure.js';
import { requireChromium } from './find-chromium.js';

const [records = 100_000, seconds = 20] = process.argv.slice(2).map(Number);
const pictures = 'examples/pictures';

/** Makes every record one of the example pictures. */
async function showExamples({ databaseUrl, tenantId, folder }) {
  const media = join(folder, 'media');
  mkdirSync(media, { recursive: true });
  const names = readdirSync(pictures).filter((name) => name.endsWith('.jpg'));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (const [index, name] of names.entries()) {
    copyFileSync(join(pictures, name), join(media, name));
    const { width, height } = await sharp(join(media, name)).metadata();
    const checksum = createHash('sha256')
      .update(readFileSync(join(media, name)))
      .digest();
    await client.query(
      'UPDATE image SET src_path = $2, checksum = $3, width = $4, height = $5 WHERE tenant_id = $1 AND row_id % $6 = $7',
      [tenantId, name, checksum, width, height, names.length, index],
    );
  }
  await client.query('VACUUM ANALYZE image');
  await client.end();
}

/** Frames per second while a page is scrolled, counting the frames that a trace saw drawn. */
async function scroll(page, cdp) {
  const drawn = [];
  cdp.on('Tracing.dataCollected', ({ value }) =>
    drawn.push(...value.filter(({ name }) => name === 'DrawFrame').map(({ ts }) => ts / 1e6)),
  );
  await cdp.send('Tracing.start', {
    categories: 'disabled-by-default-devtools.timeline.frame,devtools.timeline.frame',
  });
  await page.evaluate(`new Promise((resolve) => {
    const main = document.querySelector('main');
    const began = performance.now();
    const step = (now) => {
      main.scrollBy(0, 60);
      if (now - began < ${seconds * 1000}) requestAnimationFrame(step);
      else resolve();
    };
    requestAnimationFrame(step);
  })`);
  const ended = new Promise((resolve) => cdp.once('Tracing.tracingComplete', resolve));
  await cdp.send('Tracing.end');
  await ended;
  return drawn.length / (Math.max(...drawn) - Math.min(...drawn));
}

/**
 * A page with nothing but as many of the same pictures as are scrolled through: what the browser can do on this
 * machine.
 */
async function scrollBare(page, url) {
  const sources = await page.evaluate(
    `[...document.querySelectorAll('main [data-id] img:not(.blurred)')].map(({ src }) => src)`,
  );
  const rows = Array.from({ length: seconds * 20 }, (_, row) =>
    Array.from({ length: 5 }, (_, at) => `<img src="${sources[(row * 5 + at) % sources.length]}">`).join(''),
  );
  const style =
    'main{height:100vh;overflow:auto}div{display:flex;gap:4px;height:200px;margin:4px}img{flex:1;min-width:0;object-fit:cover}';
  const body = `<style>body{margin:0}${style}</style><main>${rows.map((row) => `<div>${row}</div>`).join('')}</main>`;
  await page.route('**/bare', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(`${url}/bare`);
  await sleep(2000);
  return scroll(page, await page.context().newCDPSession(page));
}

async function heapMiB(cdp) {
  await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'JSHeapUsedSize').value / 2 ** 20;
}

/** Milliseconds from `act` until the first picture of the results is painted. */
async function untilPainted(page, act) {
  const began = performance.now();
  await act();
  await page.locator('main [data-id] .loaded img').first().waitFor();
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  return performance.now() - began;
}

/** Runs several searches in a row, waiting for each to settle. */
async function searches(page) {
  const box = page.getByLabel('Search formula').and(page.locator('[contenteditable]'));
  const times = [];
  for (const number of [3, 5, 7, 9, 11]) {
    await sleep(2000);
    await box.fill(`country:"Country ${number}"`);
    await sleep(1000);
    const asked = async () => {
      await page.keyboard.press('Enter');
      await page.waitForURL((address) => address.searchParams.get('q')?.endsWith(`${number}"`) === true);
    };
    times.push(await untilPainted(page, asked));
  }
  return median(times);
}

async function measure(page, url) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  await untilPainted(page, () => page.goto(`${url}/app/`)); // Warms up: previews are made and files compiled.
  await page.goto(`${url}/app/`);
  await page.locator('main [data-id]').first().waitFor();
  const paint = await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`);
  report('first contentful paint', `${Math.round(paint)} ms`, '≤ 800 ms', `${records} records`);
  report(
    'a search until its first picture is painted',
    `${Math.round(await searches(page))} ms`,
    '≤ 500 ms',
    'median of 5',
  );
  await page.goto(`${url}/app/`);
  await page.locator('main [data-id] .loaded').first().waitFor();
  await sleep(1000);
  const before = await heapMiB(cdp);
  const rate = await scroll(page, cdp);
  const seen = await page.evaluate(`document.querySelector('main').scrollTop`);
  if (seen < 200 * seconds) throw new Error(`only ${Math.round(seen)} pixels were scrolled`);
  const after = await heapMiB(cdp);
  report('heap of the page after scrolling', `${after.toFixed(0)} MiB`, '≤ 200 MiB', `before ${before.toFixed(0)} MiB`);
  const bare = await scrollBare(page, url);
  const figures = `${Math.round(seen)} pixels in ${seconds} s; a bare page of the same pictures ${bare.toFixed(0)}/s`;
  report('frames while scrolling', `${rate.toFixed(0)}/s`, '60/s', figures);
}

const world = await openWorld(records);
await showExamples(world);
const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], world.environment);
const browser = await chromium.launch({
  executablePath: requireChromium(),
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const headers = { 'API-Key': world.key, 'X-Vitrine-Console': '1' };
  await context.request.post(`${service.url}/app/session`, { headers });
  await measure(await context.newPage(), service.url);
} finally {
  await browser.close();
  await service.stop();
  await world.close();
}
