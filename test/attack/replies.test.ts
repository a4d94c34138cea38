import { describe, expect, it } from 'vitest';
import { faultOf } from '../../attack/faults.ts';
import { ReplyReader } from '../../attack/replies.ts';

function read(text: string, { isHead = false, step = text.length } = {}): ReplyReader {
  const reader = new ReplyReader({ isHead });
  for (let at = 0; at < text.length; at += step) reader.push(Buffer.from(text.slice(at, at + step), 'latin1'));
  return reader;
}

const counted = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const chunked = 'HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n';
const empty = 'HTTP/1.1 204 No Content\r\n\r\n';
const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';

describe('replies to hostile exchanges', () => {
  it.each([1, 7, 1000])('are separated when they come in one stream, %i bytes at a time', (step) => {
    const reader = read(goOn + counted + chunked + empty + counted, { step });
    expect(reader.replies.map(({ status }) => status)).toEqual([200, 404, 204, 200]);
    expect(reader.replies.map(({ start }) => start.slice(0, 5))).toEqual(['hello', 'abc\r\n', '', 'hello']);
    expect(reader.complete).toBe(4);
    expect(reader.fault).toBeNull();
  });

  it('have no body after HEAD, whatever length they name', () => {
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', { isHead: true }).complete).toBe(1);
  });

  it('are not complete before their last byte', () => {
    expect(read(counted.slice(0, -1)).complete).toBe(0);
    expect(read(chunked.slice(0, -1)).complete).toBe(0);
  });

  it('are a fault when they are no HTTP', () => {
    expect(read('hello').fault).toContain('no HTTP reply');
    expect(read(counted + 'more').fault).toContain('no HTTP reply');
  });

  it.each([
    ['HTTP/1.1 500 Internal Server Error\r\nContent-Length: 2\r\n\r\n{}', 'status 500'],
    ['HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\n{}', '503 without Retry-After'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n{"code":"internal"}', 'an internal error'],
  ])('must not be %j', (text, fault) => {
    expect(faultOf(read(text).replies)).toContain(fault);
  });

  it.each([
    counted,
    chunked,
    'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 2\r\n\r\n{}',
    'HTTP/1.1 501 Not Implemented\r\nContent-Length: 2\r\n\r\n{}',
  ])('may be %j', (text) => {
    expect(faultOf(read(text).replies)).toBeNull();
  });
});
