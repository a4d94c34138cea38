import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { RunningHashes } from '../../src/uploads/hashes.ts';
import type { Upload } from '../../src/uploads/upload.ts';

const upload = (received: number): Upload => ({
  id: 'u',
  parts: received === 0 ? [] : [received],
  state: 'receiving',
  name: null,
  mediaType: 'image/jpeg',
  length: null,
  received,
  takeovers: [],
  createdAt: new Date(0),
  expiresAt: new Date(0),
  checksum: null,
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('the next request goes on with the checksum of what was stored', () => {
  const hashes = new RunningHashes();
  const first = hashes.take(upload(0));
  first?.add(Buffer.from('12345'));
  hashes.giveBack(upload(5), first);
  const second = hashes.take(upload(5));
  second?.add(Buffer.from('67890'));
  expect(second?.of(10)).toBe(sha256('1234567890'));
  expect(second?.of(9)).toBeNull();
});

test('two requests that send different bytes for the same place do not mix their checksums', () => {
  const hashes = new RunningHashes();
  const [first, second] = [hashes.take(upload(0)), hashes.take(upload(0))];
  first?.add(Buffer.from('12345'));
  second?.add(Buffer.from('abcde'));
  first?.add(Buffer.from('67890'));
  expect(first?.of(10)).toBe(sha256('1234567890'));
});

test.each([
  ['was not stored as far as it was added', upload(4)],
  ['belongs to an upload that has ended', { ...upload(5), state: 'kept' as const }],
])('a checksum that %s is not used again', (_, now) => {
  const hashes = new RunningHashes();
  const running = hashes.take(upload(0));
  running?.add(Buffer.from('12345'));
  hashes.giveBack(now, running);
  expect(hashes.take(upload(now.received))).toBeNull();
});
