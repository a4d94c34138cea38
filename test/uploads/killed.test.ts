import { createHash, randomBytes } from 'node:crypto';
import { afterAll, expect, inject, it } from 'vitest';
import { Upload } from 'tus-js-client';
import { full } from '../support/effort.ts';
import { cloneDatabase, onDatabase } from '../support/database.ts';
import { cleanUp, newFolder, ready, run } from '../support/program.ts';
import { queuedBytes, queuesKnown } from '../support/socket-queues.ts';

const key = 'a-key-of-sixteen-or-more';
const database = await cloneDatabase(inject('postgresUrl'));

afterAll(async () => {
  cleanUp();
  await database.drop();
});

it('an upload goes on after the service was killed in the middle of it, and loses at most 8 MiB', full, async () => {
  const environment = {
    PORT: '0',
    DATABASE_URL: database.url,
    DATA_DIR: newFolder(),
    ADMIN_API_KEY: key,
    AI_ANALYSIS: 'off',
    LOG_LEVEL: 'warn',
  };
  const start = async (port = '0') => {
    const process = run(['serve', '--no-supervise'], { ...environment, PORT: port });
    return { process, url: (await ready(process)) ?? '' };
  };
  const bytes = randomBytes(60 * 2 ** 20);
  const first = await start();
  let [sent, srcPath] = [0, ''];
  const offsets: number[] = [];
  const finished = new Promise<void>((resolve, reject) => {
    const upload = new Upload(bytes, {
      endpoint: `${first.url}/uploads`,
      headers: { 'API-Key': key },
      metadata: { filename: 'large.bin' },
      retryDelays: Array<number>(60).fill(500),
      onProgress: (now) => void (sent = Math.max(sent, now)),
      onAfterResponse: (request, response) => {
        srcPath = response.getHeader('Src-Path') ?? srcPath;
        if (request.getMethod() === 'HEAD') offsets.push(Number(response.getHeader('Upload-Offset')));
      },
      onSuccess: () => resolve(),
      onError: reject,
    });
    upload.start();
  });
  const stored = async () => {
    const { rows } = await query<{ received: number }>(`SELECT received::float8 AS received FROM upload`);
    return rows[0]?.received ?? 0;
  };
  await expect.poll(stored, { interval: 5, timeout: 20_000 }).toBeGreaterThan(20 * 2 ** 20);
  first.process.child.kill('SIGSTOP');
  await expect
    .poll(
      standsStill(() => sent),
      { interval: 500, timeout: 20_000 },
    )
    .toBe(true);
  const queued = queuedBytes(Number(new URL(first.url).port));
  first.process.child.kill('SIGKILL');
  await first.process.ended;
  const [kept, seen] = [await stored(), sent];
  expect(kept).toBeLessThan(bytes.length);
  await start(new URL(first.url).port);
  await finished;
  expect(srcPath).toBe(`upload://${createHash('sha256').update(bytes).digest('hex')}/large.bin`);
  expect(offsets.at(-1)).toBe(kept);
  // What waits in buffers of the system is beyond the service.
  if (queuesKnown) expect(seen - queued - kept).toBeLessThanOrEqual(8 * 2 ** 20);
});

/** Says whether the value is the same as at the call before. */
function standsStill(value: () => number): () => boolean {
  let before = Number.NaN;
  return () => {
    const [last, now] = [before, value()];
    before = now;
    return last === now;
  };
}

async function query<Row extends object>(text: string): Promise<{ rows: Row[] }> {
  return onDatabase(database.url, (client) => client.query<Row>(text));
}
