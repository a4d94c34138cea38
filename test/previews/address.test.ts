import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expiryAt, signAddress, verifyAddress } from '../../src/previews/address.ts';
import type { Shown } from '../../src/previews/address.ts';

const key = randomBytes(32);
const now = Date.parse('2026-11-23T15:30:00Z');
const hour = 3_600_000;

const shown: fc.Arbitrary<Shown> = fc.record({
  tenantId: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  resource: fc.constantFrom('image', 'video'),
  rowId: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
  fileId: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('hex')),
});

describe('the address of a preview', () => {
  it('says what it shows to whoever has the key', () => {
    fc.assert(
      fc.property(shown, (what) => {
        const expiresAt = expiryAt(now);
        expect(verifyAddress(key, 'preview', signAddress(key, 'preview', what, expiresAt), now)).toEqual({
          ...what,
          expiresAt,
        });
      }),
    );
  });

  it('says nothing when a single bit of it is altered', () => {
    fc.assert(
      fc.property(shown, fc.nat(), (what, place) => {
        const bytes = Buffer.from(signAddress(key, 'preview', what, expiryAt(now)), 'base64url');
        const at = place % (bytes.length * 8);
        bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (1 << (at & 7));
        expect(verifyAddress(key, 'preview', bytes.toString('base64url'), now)).toBeNull();
      }),
    );
  });

  it('says nothing of what is no address, or one of another service', () => {
    fc.assert(fc.property(fc.string(), (text) => verifyAddress(key, 'preview', text, now) === null));
    fc.assert(
      fc.property(
        shown,
        (what) =>
          verifyAddress(key, 'preview', signAddress(randomBytes(32), 'preview', what, expiryAt(now)), now) === null,
      ),
    );
  });

  it('shows nobody else the number of a record, which would tell how many there are', () => {
    const addressOf = (rowId: bigint) => {
      const what = { tenantId: 7, resource: 'image', rowId, fileId: '00'.repeat(16) } as const;
      return Buffer.from(signAddress(key, 'preview', what, expiryAt(now)), 'base64url');
    };
    const [first, next] = [addressOf(1_000_000n), addressOf(1_000_001n)];
    const same = first.filter((byte, at) => byte === next[at]).length;
    expect(same).toBeLessThan(first.length / 4);
  });

  it('has one spelling', () => {
    fc.assert(
      fc.property(shown, fc.constantFrom('=', '\n', ' ', '!'), (what, added) => {
        expect(verifyAddress(key, 'preview', signAddress(key, 'preview', what, expiryAt(now)) + added, now)).toBeNull();
      }),
    );
  });

  it('is the same all day, and holds for a day at least and two at most', () => {
    fc.assert(
      fc.property(fc.nat({ max: 400 * 24 }), (hours) => {
        const at = now + hours * hour;
        const left = expiryAt(at).getTime() - at;
        expect(left).toBeGreaterThan(24 * hour);
        expect(left).toBeLessThanOrEqual(48 * hour);
        expect(expiryAt(at).getTime() % (24 * hour)).toBe(0);
      }),
    );
  });

  it('says nothing from the moment on at which it expires', () => {
    const what = { tenantId: 1, resource: 'image', rowId: 1n, fileId: '0'.repeat(32) } as const;
    const end = expiryAt(now).getTime();
    expect(verifyAddress(key, 'preview', signAddress(key, 'preview', what, new Date(end)), end - 1)).not.toBeNull();
    expect(verifyAddress(key, 'preview', signAddress(key, 'preview', what, new Date(end)), end)).toBeNull();
  });
});
