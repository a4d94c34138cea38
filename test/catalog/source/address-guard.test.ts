import { lookup } from 'node:dns/promises';
import type { LookupAddress, LookupOptions } from 'node:dns';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAddressGuard } from '../../../src/catalog/source/address-guard.ts';

const forbidden = expect.objectContaining({
  name: 'ElementError',
  code: 'source_forbidden',
  field: 'src',
  message: 'src points to a non-public address',
});

/** Checks the host of an address as a URL spells it. */
function check(host: string, allow: readonly string[] = []): void {
  createAddressGuard(allow).checkHost(new URL(`http://${host}/`).hostname);
}

/** The errors by which hosts are refused, null where one is not. */
function refusals(hosts: readonly string[], allow: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(hosts.map((host) => [host, refusal(host, allow)]));
}

function refusal(host: string, allow: readonly string[] = []): unknown {
  try {
    check(host, allow);
    return null;
  } catch (error) {
    return error;
  }
}

const each = (hosts: readonly string[], outcome: unknown) => Object.fromEntries(hosts.map((host) => [host, outcome]));

/** What the guard's look-up answers, or the error it ends with. */
function look(hostname: string, allow: readonly string[], options: LookupOptions = {}): Promise<unknown> {
  return new Promise((resolve) => {
    createAddressGuard(allow).lookup(hostname, options, (error, ...answer) => resolve(error ?? answer));
  });
}

describe('a literal address', () => {
  it.each([
    ['loopback', ['127.0.0.1', '127.255.255.254', '[::1]']],
    ['of this host', ['0.0.0.0', '0.1.2.3', '[::]']],
    [
      'private',
      ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '[fc00::1]', '[fdff::1]'],
    ],
    ['link-local', ['169.254.1.1', '[fe80::1]', '[febf::1]']],
    ['site-local, as IPv6 once had', ['[fec0::1]']],
    [
      'of a metadata service',
      ['169.254.169.254', '[fd00:ec2::254]', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
    ],
    ['shared by a carrier', ['100.64.0.1', '100.127.255.255']],
    ['multicast or broadcast', ['224.0.0.1', '239.255.255.255', '255.255.255.255', '[ff02::1]']],
    ['reserved', ['192.0.0.1', '198.18.0.1', '198.19.255.255', '240.0.0.1', '[100::1]']],
    ['for documentation', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '[2001:db8::1]', '[3fff::1]']],
    [
      'a tunnel to any IPv4 address',
      ['[2002:7f00:1::]', '[2001:0:7f00:1::]', '[64:ff9b::7f00:1]', '[64:ff9b:1::a00:1]'],
    ],
    ['an IPv4 address inside IPv6', ['[::ffff:127.0.0.1]', '[::ffff:a00:1]', '[::127.0.0.1]', '[::ffff:0:10.0.0.1]']],
    ['outside the unicast block that IPv6 has given out', ['[::2]', '[4000::1]', '[::8.8.8.8]', '[5f00::1]']],
  ])('that is %s is refused', (_what, hosts) => {
    expect(refusals(hosts)).toEqual(each(hosts, forbidden));
  });

  it.each([
    ['a decimal number', '2130706433'],
    ['a hexadecimal number', '0x7f000001'],
    ['hexadecimal parts', '0x7f.0x0.0x0.0x1'],
    ['octal parts', '0177.0.0.01'],
    ['an octal number', '017700000001'],
    ['two parts', '127.1'],
    ['three parts', '127.0.1'],
    ['parts of several bases', '0300.0xa8.1'],
    ['zero alone', '0'],
    ['digits in circles', '①②⑦.⓪.⓪.①'],
    ['digits of full width', '１２７.０.０.１'],
    ['ideographic full stops', '127。0。0。1'],
    ['percent signs', '%31%32%37.0.0.1'],
    ['a full stop at its end', '127.0.0.1.'],
    ['all its zeros', '[0000:0000:0000:0000:0000:0000:0000:0001]'],
    ['capitals', '[FE80::ABCD]'],
  ])('that is not public is refused when it is written with %s', (_what, host) => {
    expect(() => check(host)).toThrow(forbidden);
  });

  it.each(['1.1.1.1', '8.8.8.8', '172.15.255.255', '172.32.0.1', '100.63.255.255', '100.128.0.1', '169.253.0.1'])(
    '%s is public',
    (host) => {
      expect(() => check(host)).not.toThrow();
    },
  );

  it.each([
    '[2606:4700:4700::1111]',
    '[2a00:1450:4001::8a]',
    '[::ffff:8.8.8.8]',
    '134744072',
    '0x08080808',
    '8.8.2056',
  ])('%s is public', (host) => {
    expect(() => check(host)).not.toThrow();
  });

  it('is not what a name is: names are judged when they are looked up', () => {
    for (const host of [
      'localhost',
      'example.org',
      'metadata.google.internal',
      '127.0.0.1.example.org',
      '1.2.3.4.5.x',
    ]) {
      expect(() => check(host)).not.toThrow();
    }
  });

  it('is judged alike in every spelling of IPv4', () => {
    const byte = fc.nat(255);
    const first = fc.oneof(byte, fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 224, 255));
    fc.assert(
      fc.property(first, byte, byte, byte, (a, b, c, d) => {
        const number = ((a * 256 + b) * 256 + c) * 256 + d;
        const spellings = [
          `${number}`,
          `0x${number.toString(16)}`,
          `0${number.toString(8)}`,
          `${a}.${(b * 256 + c) * 256 + d}`,
          `0x${a.toString(16)}.0${b.toString(8)}.${c * 256 + d}`,
          `[::ffff:${a}.${b}.${c}.${d}]`,
          `[::ffff:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}]`,
        ];
        const outcome = refusal(`${a}.${b}.${c}.${d}`);
        expect(refusals(spellings)).toEqual(each(spellings, outcome));
        expect(outcome !== null || ![0, 10, 127].includes(a)).toBe(true);
      }),
    );
  });
});

describe('the allow list', () => {
  it('opens its networks, and nothing beside them', () => {
    const allow = ['10.1.0.0/16', '127.0.0.1/32', 'fd00:1::/32'];
    const opened = ['10.1.0.0', '10.1.255.255', '127.0.0.1', '0x7f000001', '[fd00:1::5]', '8.8.8.8'];
    const beside = ['10.0.255.255', '10.2.0.0', '127.0.0.2', '[::1]', '[fd00:2::5]', '169.254.169.254'];
    expect(refusals(opened, allow)).toEqual(each(opened, null));
    expect(refusals(beside, allow)).toEqual(each(beside, forbidden));
  });

  it('opens an IPv4 network for the same addresses inside IPv6', () => {
    expect(() => check('[::ffff:10.1.2.3]', ['10.0.0.0/8'])).not.toThrow();
    expect(() => check('[::ffff:127.0.0.1]', ['10.0.0.0/8'])).toThrow(forbidden);
  });

  it('keeps IPv4 closed when all of IPv6 is open, and the other way round', () => {
    expect(() => check('10.0.0.1', ['::/0'])).toThrow(forbidden);
    expect(() => check('[::1]', ['0.0.0.0/0'])).toThrow(forbidden);
  });

  it('may open an address of a metadata service', () => {
    expect(() => check('168.63.129.16', ['168.63.129.16/32'])).not.toThrow();
  });
});

describe('the look-up of a name', () => {
  it('refuses a name of an address that is not public', async () => {
    expect(await look('localhost', [])).toEqual(forbidden);
    expect(await look('LOCALHOST', [], { all: true })).toEqual(forbidden);
  });

  it('answers as asked, with one address or all, when every one is allowed', async () => {
    const allow = ['127.0.0.0/8', '::1/128'];
    const addresses: LookupAddress[] = await lookup('localhost', { all: true });
    expect(await look('localhost', allow, { all: true })).toEqual([addresses]);
    expect(await look('localhost', allow)).toEqual([addresses[0]?.address, addresses[0]?.family]);
    expect(await look('localhost', allow, { family: 4 })).toEqual(['127.0.0.1', 4]);
  });

  it('refuses a name when one of its addresses is not allowed, whichever it is', async () => {
    const addresses = await lookup('localhost', { all: true });
    const networks = addresses.map(({ address, family }) => `${address}/${family === 4 ? 32 : 128}`);
    expect(await look('localhost', networks)).not.toEqual(forbidden);
    for (const left of networks) {
      expect(
        await look(
          'localhost',
          networks.filter((network) => network !== left),
        ),
      ).toEqual(forbidden);
    }
  });

  it('hands on the error of a name that does not exist', async () => {
    const error = (await look('no-such-host.invalid', [])) as NodeJS.ErrnoException;
    expect(error).toBeInstanceOf(Error);
    expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(error.code);
  });

  it('judges a literal address too, when one is looked up', async () => {
    expect(await look('10.0.0.1', [])).toEqual(forbidden);
    expect(await look('8.8.8.8', [])).toEqual(['8.8.8.8', 4]);
  });
});
