// Takes screenshots of eleven states of the console, 1440 and 390 pixels wide, light and dark, of a service started
// with the examples.
//   npm run screenshots               into a new folder below the system's temporary one
//   npm run screenshots -- FOLDER     into this one
//   npm run screenshots -- --docs     the two that README shows, into docs/
// Needs Chromium on PATH.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { readConfig } from '../dist/src/config/config.js';
import { createLogger } from '../dist/src/observability/logger.js';
import { serve } from '../dist/src/app/serve.js';
import { requireChromium } from './find-chromium.js';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { docs: { type: 'boolean' } } });

const key = 'vt_key-of-the-screenshots';

const states = {
  'sign-in': ['/app/', 'form', { isSignedIn: false }],
  grid: ['/app/', 'main [data-id] .loaded'],
  small: ['/app/?size=s', 'main [data-id] .loaded'],
  list: ['/app/?view=list', 'main [data-id] .loaded'],
  search: ['/app/?q=country:Japan,France date:..1900', 'main [data-id] .loaded'],
  mistake: ['/app/?q=contry:Japan boats', '.fault'],
  empty: ['/app/?q=author:lange', '.suggestions'],
  picture: ['/app/?open=nagasaki', 'dialog .detection'],
  same: ['/app/?q=i=COPY', 'main [data-id] .loaded'],
  videos: ['/app/?kind=video', 'main [data-id] .loaded'],
  video: ['/app/?kind=video&open=pan', 'dialog video'],
};
const inReadme = { grid: 'console-grid', picture: 'console-picture' };
const sizes = [
  [1440, 900],
  [390, 844],
];

/** Stores the examples, and waits until they are analyzed. */
async function seed(url) {
  const headers = { 'API-Key': key, 'Content-Type': 'application/json' };
  const video = JSON.stringify([{ id: 'pan', src_path: 'nagasaki-pan.mp4', title: 'Nagasaki, a pan' }]);
  const writes = [
    ['/imgs?lang=en', readFileSync('examples/catalog.json')],
    ['/vids?lang=en', video],
  ];
  for (const [path, body] of writes) {
    const answer = await fetch(url + path, { method: 'POST', headers, body });
    if (answer.status !== 202) throw new Error(`the examples could not be stored: ${answer.status}`);
    const { operation_id: id } = await answer.json();
    while (!(await (await fetch(`${url}/ops/${id}`, { headers })).json()).is_finished) await sleep(500);
  }
}

/** Uploads an edited copy of an example as a query image. @returns its hash */
async function askCopy(url) {
  const picture = sharp('examples/pictures/nagasaki-boats.jpg').flop();
  const copy = await picture.extract({ left: 60, top: 40, width: 600, height: 480 }).jpeg().toBuffer();
  const body = new FormData();
  body.set('image', new Blob([copy]), 'copy.jpg');
  const answer = await fetch(`${url}/query_imgs`, { method: 'POST', headers: { 'API-Key': key }, body });
  return (await answer.json()).hash;
}

async function take(browser, url, name, { size: [width, height], isDark, copy, target }) {
  const [path, awaited, { isSignedIn = true } = {}] = states[name];
  const colorScheme = isDark ? 'dark' : 'light';
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
  const headers = { 'API-Key': key, 'X-Vitrine-Console': '1' };
  if (isSignedIn) await context.request.post(`${url}/app/session`, { headers });
  const page = await context.newPage();
  await page.goto(url + path.replace('COPY', copy));
  await page.locator(awaited).first().waitFor();
  await page.waitForLoadState('networkidle');
  await sleep(300);
  await sharp(await page.screenshot())
    .webp({ quality: 82 })
    .toFile(target);
  await context.close();
  process.stdout.write(`${target}\n`);
}

const folder = mkdtempSync(join(tmpdir(), 'vitrine-screenshots-'));
const targets = values.docs ? 'docs' : resolve(positionals[0] ?? mkdtempSync(join(tmpdir(), 'vitrine-console-')));
mkdirSync(targets, { recursive: true });
const service = await serve(
  readConfig({ DATA_DIR: folder, PORT: '0', ADMIN_API_KEY: key, MEDIA_ROOTS: 'examples/pictures:examples/videos' }),
  createLogger('error'),
);
const browser = await chromium.launch({
  executablePath: requireChromium(),
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  await seed(service.url);
  const copy = await askCopy(service.url);
  for (const name of Object.keys(values.docs ? inReadme : states)) {
    for (const size of values.docs ? sizes.slice(0, 1) : sizes) {
      for (const isDark of values.docs ? [name === 'grid'] : [false, true]) {
        const file = values.docs ? inReadme[name] : `${name}-${size[0]}-${isDark ? 'dark' : 'light'}`;
        await take(browser, service.url, name, { size, isDark, copy, target: join(targets, `${file}.webp`) });
      }
    }
  }
} finally {
  await browser.close();
  await service.close({ isUrgent: true });
  rmSync(folder, { recursive: true, force: true });
}
