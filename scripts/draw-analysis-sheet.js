// Draws the results of the analyzers onto pictures, for docs/analyzers.md: faces, objects and text with their boxes.
// npm run build && node scripts/draw-analysis-sheet.js docs/analysis-sheet.webp PICTURE...
import { readFileSync } from 'node:fs';
import process from 'node:process';
import sharp from 'sharp';
import { createLogger } from '../dist/src/observability/logger.js';
import { openBuiltinAnalyzer } from '../dist/src/analysis/index.js';

const [target, ...files] = process.argv.slice(2);
const columns = 3;
const cell = { width: 400, height: 300, foot: 44, gap: 8 };
const colors = { faces: '#ffd400', objects: '#00c2ff', text: '#ff4fa3' };

const escape = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`);

function mark({ x, y, w, h }, label, color, { width, height }) {
  const [left, top] = [x * width, y * height];
  const above = top > 18 ? top - 5 : top + h * height + 14;
  return `<rect x="${left}" y="${top}" width="${w * width}" height="${h * height}" fill="none" stroke="#000" stroke-opacity=".5" stroke-width="4"/>
    <rect x="${left}" y="${top}" width="${w * width}" height="${h * height}" fill="none" stroke="${color}" stroke-width="2"/>
    <text x="${left + 1}" y="${above}" font-family="sans-serif" font-size="13" font-weight="bold" fill="${color}"
      stroke="#000" stroke-width="3" paint-order="stroke">${escape(label)}</text>`;
}

async function draw(builtinAnalyzer, file) {
  const bytes = readFileSync(file);
  const { outcomes } = await builtinAnalyzer.analyze({
    bytes,
    want: ['faces', 'objects', 'ocr', 'colors', 'caption'],
  });
  const picture = await sharp(bytes)
    .autoOrient()
    .resize(cell.width, cell.height, { fit: 'inside' })
    .removeAlpha()
    .png()
    .toBuffer();
  const size = await sharp(picture).metadata();
  const percent = (value) => `${Math.round(value * 100)} %`;
  const marks = [
    ...outcomes.objects.result
      .filter(({ isConfirmed }) => isConfirmed)
      .map(({ box, label, confidence }) => mark(box, `${label} ${percent(confidence)}`, colors.objects, size)),
    ...outcomes.faces.result.map(({ box, confidence }) => mark(box, `face ${percent(confidence)}`, colors.faces, size)),
    ...outcomes.ocr.result.lines.map(({ box, text }) => mark(box, text, colors.text, size)),
  ];
  const shares = outcomes.colors.result.dominant;
  let at = 0;
  const bar = shares.map(({ hex, percent: share }) => {
    const width = (share / shares.reduce((sum, each) => sum + each.percent, 0)) * cell.width;
    at += width;
    return `<rect x="${at - width}" y="${cell.height + 2}" width="${width + 0.5}" height="14" fill="${hex}"/>`;
  });
  const caption = `<text x="2" y="${cell.height + 34}" font-family="sans-serif" font-size="14" fill="#222">${escape(outcomes.caption.result.en)}</text>`;
  const [left, top] = [Math.floor((cell.width - size.width) / 2), Math.floor((cell.height - size.height) / 2)];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${cell.width}" height="${cell.height + cell.foot}">
    <g transform="translate(${left} ${top})">${marks.join('')}</g>${bar.join('')}${caption}</svg>`;
  return sharp({
    create: { width: cell.width, height: cell.height + cell.foot, channels: 3, background: '#fff' },
  })
    .composite([
      { input: picture, left, top },
      { input: Buffer.from(svg), left: 0, top: 0 },
    ])
    .png()
    .toBuffer();
}

const builtinAnalyzer = openBuiltinAnalyzer({ threads: 2, logger: createLogger('warn') });
const drawn = [];
for (const file of files) drawn.push(await draw(builtinAnalyzer, file));
await builtinAnalyzer.close();

const step = { x: cell.width + cell.gap, y: cell.height + cell.foot + cell.gap };
await sharp({
  create: {
    width: columns * step.x + cell.gap,
    height: Math.ceil(drawn.length / columns) * step.y + cell.gap,
    channels: 3,
    background: '#fff',
  },
})
  .composite(
    drawn.map((input, i) => ({
      input,
      left: cell.gap + (i % columns) * step.x,
      top: cell.gap + Math.floor(i / columns) * step.y,
    })),
  )
  .webp({ quality: 62 })
  .toFile(target);
