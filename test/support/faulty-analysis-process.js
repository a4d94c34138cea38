import { existsSync, writeFileSync } from 'node:fs';
import process from 'node:process';

/** An analysis process that fails as native code can; the bytes say how. It answers with its number. */
const { tessdataDir: folder } = JSON.parse(process.argv[2]);
if (folder === 'nowhere') process.exit(1);
if (folder?.endsWith('once') && !existsSync(folder)) {
  writeFileSync(folder, '');
  process.exit(1);
}
function look({ type, id, job }) {
  if (type !== 'work') return;
  const what = Buffer.from(job.bytes).toString();
  if (what === 'deadly') process.kill(process.pid, 'SIGKILL');
  if (what === 'stuck') {
    process.send([{ type: 'stuck', id, message: 'it never ends' }], () => process.kill(process.pid, 'SIGKILL'));
  }
  if (what === 'endless' || what === 'stuck') return;
  const image = { width: process.pid, height: 1, format: 'png', byteSize: 1, checksum: '0'.repeat(64) };
  const answer = () => process.send([{ type: 'result', id, result: { image, outcomes: {}, warnings: [] } }]);
  setTimeout(answer, what === 'slow' ? 500 : 0);
}
process.on('message', (orders) => orders.forEach(look));
process.on('disconnect', () => process.exit());
process.send([{ type: 'ready' }]);
