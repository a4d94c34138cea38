// Loaded into each process of the service before it (`--import`): notes in a file when its event loop was blocked, and
// that it answers requests. Work of other processes is subtracted, as far as Linux reports it.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync, closeSync, openSync, readSync } from 'node:fs';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

const tickMs = 5;
/** Shorter blocks are the ordinary work of a request. */
const notedMs = 20;
const file = process.env['VITRINE_ATTACK_NOTES'];

if (isMainThread && file !== undefined) watch(file);

function watch(path: string): void {
  const note = (what: object) => appendFileSync(path, `${JSON.stringify({ pid: process.pid, ...what })}\n`);
  const readWait = openWait();
  let [last, lastWait] = [performance.now(), readWait()];
  setInterval(() => {
    const [now, wait] = [performance.now(), readWait()];
    const ms = now - last - tickMs - (wait - lastWait);
    [last, lastWait] = [now, wait];
    if (ms >= notedMs) note({ blockedMs: Math.round(ms), at: Date.now() });
  }, tickMs).unref();
  const onRequest = () => {
    unsubscribe('http.server.request.start', onRequest);
    note({ answers: true, at: Date.now() });
  };
  subscribe('http.server.request.start', onRequest);
}

/** Milliseconds that the main thread was ready to run and had no core. */
function openWait(): () => number {
  try {
    const descriptor = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    process.once('exit', () => closeSync(descriptor));
    const buffer = Buffer.alloc(128);
    return () => {
      const length = readSync(descriptor, buffer, 0, buffer.length, 0);
      return Number(buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6;
    };
  } catch {
    return () => 0;
  }
}
