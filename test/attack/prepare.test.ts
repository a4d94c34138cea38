import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Target } from '../../attack/exchange.ts';
import { tagOutputs, warmUp } from '../../attack/prepare.ts';
import { taggingEndpoints } from '../../rest/endpoints/tagging.ts';
import { packageRoot } from '../../src/lib/package-root.ts';

let server: Server;

/** A server that answers with this status and notes what it was sent, once all that is expected has arrived. */
async function serve(status: number): Promise<{ target: Target; received: string[] }> {
  const received: string[] = [];
  const answers: (() => void)[] = [];
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => {
      received.push(`${request.method} ${request.url}\n${Buffer.concat(parts).toString('latin1')}`);
      answers.push(() => response.writeHead(status).end('{}'));
      if (answers.length === availableParallelism()) for (const answer of answers) answer();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const small = join(packageRoot, 'examples', 'pictures', 'allium-oreophilum.jpg');
  return { received, target: { host: '127.0.0.1', port, keys: { tagger: 'k' }, pictures: { small } } as Target };
}

afterEach(() => void server.close());

describe('before memory at rest is measured', () => {
  it('every output of POST /tag/image is asked for, on all cores at the same time', async () => {
    const { target, received } = await serve(200);
    await warmUp(target);
    expect(received).toHaveLength(availableParallelism());
    for (const sent of received) {
      expect(sent).toMatch(/^POST \/tag\/image\n/);
      for (const name of tagOutputs) expect(sent).toContain(`name="${name}"\r\n\r\ntrue`);
    }
  });

  it('no output is missing', () => {
    const { body } = taggingEndpoints.find(({ path }) => path === '/tag/image') ?? {};
    const fields = body?.kind === 'form' ? body.fields : [];
    const outputs = fields.filter((field) => 'default' in field && field.default === false).map(({ name }) => name);
    expect([...tagOutputs].toSorted()).toEqual(outputs.toSorted());
  });

  it('a service that does not tag is no service at rest', async () => {
    const { target } = await serve(503);
    await expect(warmUp(target)).rejects.toThrow('the service was not warmed up: 503');
  });
});
