import process from 'node:process';

/** A process that looks at pictures as badly as native code could; the bytes say how. It answers with its number. */
if (process.argv.includes('nowhere')) process.exit(1);
process.on('message', ({ type, id, bytes }) => {
  if (type === 'abort') return;
  const what = Buffer.from(bytes).toString();
  if (what === 'deadly') process.kill(process.pid, 'SIGKILL');
  if (what === 'endless') return;
  const image = { width: process.pid, height: 1, format: 'png', byteSize: 1, checksum: '' };
  const answer = () => process.send({ type: 'analysis', id, analysis: { image, outcomes: {}, warnings: [] } });
  setTimeout(answer, what === 'slow' ? 500 : 0);
});
process.on('disconnect', () => process.exit());
process.send({ type: 'ready' });
