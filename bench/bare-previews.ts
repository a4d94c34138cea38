// The baseline of previews: node:http, which sends one file from memory (`/`), and sharp alone, which makes a preview
// of a file in the folder (`/NAME`), scaling while it decodes: `node dist/bench/bare-previews.js FILE FOLDER`.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import process from 'node:process';
import sharp from 'sharp';

const [, , file = '', folder = ''] = process.argv;
const bytes = readFileSync(file);
const headers = { 'Content-Type': 'image/webp', 'Content-Length': bytes.length };

async function make(name: string): Promise<Buffer> {
  const picture = sharp(await readFile(join(folder, basename(name))));
  return picture.autoOrient().resize(640, 1920, { fit: 'inside' }).webp({ quality: 80, effort: 2 }).toBuffer();
}

createServer((request, response) => {
  if (request.url === '/') return response.writeHead(200, headers).end(bytes);
  make(request.url ?? '').then(
    (preview) => response.writeHead(200, { 'Content-Type': 'image/webp' }).end(preview),
    () => response.writeHead(500).end(),
  );
}).listen(0, '127.0.0.1', function (this: { address(): unknown }) {
  process.stdout.write(`http://127.0.0.1:${(this.address() as { port: number }).port}\n`);
});
