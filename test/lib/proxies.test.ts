import { describe, expect, it } from 'vitest';
import { proxyOf } from '../../src/lib/proxies.ts';

const proxies = { https: 'http://proxy:3128', http: 'plain:80', none: [] as string[] };
const proxyFor = (address: string, change: Partial<typeof proxies> = {}) =>
  proxyOf(new URL(address), { ...proxies, ...change })?.href ?? null;

describe('the proxy of a request', () => {
  it('is that of its scheme, with http: where the setting has no scheme', () => {
    expect(proxyFor('https://huggingface.co/a')).toBe('http://proxy:3128/');
    expect(proxyFor('http://huggingface.co/a')).toBe('http://plain/');
    expect(proxyOf(new URL('https://a.example'), { https: undefined, http: 'http://p', none: [] })).toBeNull();
  });

  it.each([
    ['https://a.example', ['a.example'], null],
    ['https://b.a.example', ['a.example'], null],
    ['https://b.a.example', ['.a.example'], null],
    ['https://b.a.example', ['*.A.example'], null],
    ['https://ba.example', ['a.example'], 'http://proxy:3128/'],
    ['https://a.example:8443', ['a.example:8443'], null],
    ['https://a.example', ['a.example:8443'], 'http://proxy:3128/'],
    ['https://a.example', ['a.example:443'], null],
    ['https://127.0.0.1', ['localhost', '127.0.0.1'], null],
    ['https://a.example', ['*'], null],
    ['https://a.example', ['', '.'], 'http://proxy:3128/'],
  ])('for %s with NO_PROXY=%j is %s', (address, none, expected) => {
    expect(proxyFor(address, { none })).toBe(expected);
  });

  it.each(['socks5://proxy:1080', 'http://', 'two words'])('is refused by its variable if it is %s', (https) => {
    expect(() => proxyFor('https://a.example', { https })).toThrow(
      /^HTTPS_PROXY is not an HTTP proxy\. Set an address/,
    );
  });
});
