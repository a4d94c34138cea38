import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Webhook } from 'standardwebhooks';
import { median, percentile, report } from './measure.ts';
import type { Service } from './watching.ts';

/** A match that is not reported within a minute never will be. */
const patienceMs = 60_000;

/** Time from a write that starts or stops matching a standing formula to its signed message, with all other formulas. */
export async function measureWebhook({ url, headers }: Service, writes: number): Promise<void> {
  const receiver = createServer();
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  try {
    const post = { method: 'POST', headers, body: JSON.stringify({ url: address, formulas: ['told'] }) };
    const added = await fetch(`${url}/webhooks`, post);
    if (!added.ok) throw new Error(`the webhook was answered ${added.status}: ${await added.text()}`);
    const { secret } = (await added.json()) as { secret: string };
    const webhook = new Webhook(secret);
    let told: () => void = () => {};
    receiver.on('request', async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const arrived = told;
      webhook.verify(Buffer.concat(parts).toString(), request.headers as Record<string, string>);
      response.writeHead(204).end();
      arrived();
    });
    const [sent, answered]: [number[], number[]] = [[], []];
    for (let n = 0; n < writes; n += 1) {
      const received = new Promise<number>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('no message came')), patienceMs);
        told = () => {
          clearTimeout(timer);
          resolve(performance.now());
        };
      });
      const body = JSON.stringify({ status: n % 2 === 0 ? 'told' : 'published' });
      const began = performance.now();
      const write = fetch(`${url}/imgs/image-8?wait=true`, { method: 'PATCH', headers, body });
      const done = write.then(() => performance.now());
      const [at, ended] = await Promise.all([received, done]);
      sent.push(at - began);
      answered.push(at - ended);
    }
    // The commit happens between the two, so the time since the commit is less than the former.
    const figures = `median ${median(sent).toFixed(0)} ms, ${median(answered).toFixed(0)} ms after the answer`;
    report('write sent to webhook received, p95', `${percentile(sent, 0.95).toFixed(0)} ms`, '≤ 250 ms', figures);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}
