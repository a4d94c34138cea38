import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { curatedModels } from '../../src/analysis/index.ts';
import { makeCertificate } from '../support/certificate.ts';
import { command } from '../support/command.ts';
import { openHubServer } from '../support/hub-server.ts';
import { listen } from '../support/listen.ts';
import { newFolder, run } from '../support/program.ts';
import { full } from '../support/effort.ts';

const file = (bytes: number, isLarge = true) => ({ content: randomBytes(bytes), isLarge });
/** The repository of clip-base, as large as a test needs it. */
const repositories = {
  'Xenova/clip-vit-base-patch32': {
    'onnx/vision_model_quantized.onnx': file(2_000_000),
    'onnx/text_model_quantized.onnx': file(1_000_000),
    'tokenizer.json': file(5_000, false),
  },
};

const ends: (() => void)[] = [];
afterAll(() => ends.forEach((end) => end()));

async function openHub(certificate: ReturnType<typeof makeCertificate> = null) {
  const server = await openHubServer(repositories, { certificate });
  ends.push(server.close);
  return server;
}

/** A proxy that connects whoever names himself, and remembers to which ports. */
async function openProxy() {
  const ports: string[] = [];
  const server = createServer((_request, response) => void response.writeHead(405).end());
  server.on('connect', (request, socket) => {
    socket.on('error', () => {});
    const { 'proxy-authorization': credentials } = request.headers;
    if (credentials !== `Basic ${Buffer.from('me:p@ss').toString('base64')}`) {
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    }
    const port = (request.url ?? '').split(':')[1] ?? '';
    ports.push(port);
    const target = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
  });
  await listen(server);
  ends.push(() => void server.close());
  return { ports, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const certificate = makeCertificate();
const why = certificate === null ? ' (skipped: no openssl)' : '';

describe('models of MODELS_DIR', () => {
  it('are listed with license, size and whether they are here, without asking the hub', async () => {
    const { code, output } = await command(['models', 'list'], {
      MODELS_DIR: newFolder(),
      MODELS_HUB: 'http://127.0.0.1:1',
    });
    expect(code).toBe(0);
    for (const { name, license, megabytes } of curatedModels) {
      expect(output).toMatch(new RegExp(`^${name} +\\w+ +${license} +${megabytes} MB +- +\\w`, 'm'));
    }
  });

  it('are fetched only by those who accept the license, after license and size are shown', async () => {
    const folder = newFolder();
    const server = await openHub();
    const add = run(['models', 'add', 'clip-base'], { MODELS_DIR: folder, MODELS_HUB: server.url });
    expect([await add.ended, add.output()]).toEqual([
      1,
      expect.stringMatching(/license: MIT, https:[^]*size: 3 MB in 3 files/),
    ]);
    expect(add.output()).toMatch(
      /Nothing was fetched: the license MIT of clip-base \(3 MB\) was not accepted\. Add --yes/,
    );
    expect(server.headers).toEqual([]);
  });

  it.skipIf(certificate === null)(`are fetched through a proxy, listed, and removed${why}`, full, async () => {
    const folder = newFolder();
    const [server, proxy] = [await openHub(certificate), await openProxy()];
    const trusted = join(newFolder(), 'ca.pem');
    writeFileSync(trusted, (certificate as { cert: string }).cert);
    const environment = {
      MODELS_DIR: folder,
      MODELS_HUB: server.url,
      NODE_EXTRA_CA_CERTS: trusted,
      https_proxy: `me:p%40ss@${proxy.address}`,
    };
    const add = run(['models', 'add', 'clip-base', '--yes'], environment);
    expect([await add.ended, add.output()]).toEqual([0, expect.stringContaining('AI_EMBEDDING_MODEL=clip-base')]);
    // One connection for the list, one for each file, and one more for each that lies on the other server.
    expect([proxy.ports.length, new Set(proxy.ports).size]).toEqual([6, 2]);
    const path = 'Xenova/clip-vit-base-patch32/onnx/text_model_quantized.onnx';
    const { content } = repositories['Xenova/clip-vit-base-patch32']['onnx/text_model_quantized.onnx'];
    expect(readFileSync(join(folder, path)).equals(content)).toBe(true);
    const list = await command(['models', 'list', '--json'], environment);
    expect(list.code).toBe(0);
    expect(JSON.parse(list.output)[0]).toMatchObject({ name: 'clip-base', isHere: true });
    const removed = await command(['models', 'remove', 'clip-base'], environment);
    expect(removed).toMatchObject({ code: 0, output: 'Removed clip-base with 3 files, 3 MB.\n' });
  });

  it('that are not on the list are refused with those that are', async () => {
    expect(await command(['models', 'add', 'gpt-9', '--yes'], {})).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^The list has no model 'gpt-9'\. Choose one of: clip-base, siglip-base/),
    });
  });
});
