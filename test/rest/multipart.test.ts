import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MultipartError, MultipartReader } from '../../rest/compat/multipart.ts';

type Seen = { disposition: string | undefined; content: string };

/** The complete parts of a body that arrives in pieces of the given lengths, or the fault it has. */
function read(body: Buffer, lengths: readonly number[] = [], boundary = 'x'): Seen[] | 'fault' {
  const parts: Seen[] = [];
  try {
    const reader = new MultipartReader(boundary, (disposition) => {
      const pieces: Buffer[] = [];
      return {
        write: (bytes) => void pieces.push(Buffer.from(bytes)),
        end: () => void parts.push({ disposition, content: Buffer.concat(pieces).toString('latin1') }),
      };
    });
    let at = 0;
    for (const length of [...lengths, body.length]) {
      if (at < body.length) reader.write(body.subarray(at, at + length));
      at += length;
    }
    return parts;
  } catch (error) {
    if (error instanceof MultipartError) return 'fault';
    throw error;
  }
}

const head = 'Content-Disposition: form-data; name="a"\r\n\r\n';
const disposition = 'form-data; name="a"';
const part = (content: string) => `--x\r\n${head}${content}\r\n`;

describe('a multipart body', () => {
  it.each([
    ['one part', `${part('1')}--x--`, ['1']],
    ['an empty part', `${part('')}--x--`, ['']],
    ['several parts', `${part('1')}${part('2')}--x--\r\n`, ['1', '2']],
    ['no part', '--x--', []],
    ['nothing', '', []],
    ['line breaks before the first boundary', `\r\n\r\n${part('1')}--x--`, ['1']],
    ['something after the last boundary', `${part('1')}--x--\r\nmore --x\r\n`, ['1']],
    ['a last part that is cut off', `${part('1')}${part('2')}`, ['1']],
    ['what looks like the beginning of a boundary', `${part('\r\n--\r\n-\r\n--y')}--x--`, ['\r\n--\r\n-\r\n--y']],
    ['a boundary that goes on', `${part('1\r\n--xy\r\n--x-\r\n--x\r2')}--x--`, ['1\r\n--xy\r\n--x-\r\n--x\r2']],
    ['blanks after a boundary', `${part('1')}--x \t\r\n${head}2\r\n--x--`, ['1', '2']],
  ])('holds its parts: %s', (_, text, contents) => {
    expect(read(Buffer.from(text))).toEqual(contents.map((content) => ({ disposition, content })));
  });

  it.each([
    ['something else before the first boundary', `junk\r\n${part('1')}--x--`],
    ['another boundary', part('1').replaceAll('x', 'y')],
    ['a boundary that does not end its line', `--x${head}1\r\n--x--`],
    ['lines without carriage returns', `${part('1')}--x--`.replaceAll('\r', '')],
    ['a header without a name', `--x\r\n: 1\r\n\r\n1\r\n--x--`],
    ['a name that is none', `--x\r\nBad Name: 1\r\n\r\n1\r\n--x--`],
    ['more than eight headers', `--x\r\n${'A: 1\r\n'.repeat(9)}\r\n1\r\n--x--`],
    ['a header that is too long', `--x\r\nA: ${'1'.repeat(4300)}\r\n\r\n1\r\n--x--`],
    ['a header that is too long and never ends', `--x\r\nA: ${'1'.repeat(9000)}`],
    ['something after blanks after a boundary', `${part('1')}--x y\r\n${head}2\r\n--x--`],
  ])('is refused: %s', (_, text) => {
    expect(read(Buffer.from(text))).toBe('fault');
  });

  it('is refused with a boundary of more than 256 bytes', () => {
    expect(read(Buffer.from('--'), [], 'b'.repeat(257))).toBe('fault');
    expect(read(Buffer.from('--'), [], 'b'.repeat(256))).toEqual([]);
  });

  it('is the same in whatever pieces it arrives', () => {
    const piece = fc.constantFrom(
      '\r',
      '\n',
      '-',
      '--',
      '--x',
      '\r\n--x',
      '\r\n--x--',
      '\r\n',
      'x',
      ' ',
      head,
      'A: 1\r\n',
    );
    const body = fc.array(piece, { maxLength: 12 }).map((pieces) => Buffer.from(`--x\r\n${head}${pieces.join('')}`));
    const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 40 });
    fc.assert(
      fc.property(body, lengths, (bytes, pieces) => {
        expect(read(bytes, pieces)).toEqual(read(bytes));
      }),
      { numRuns: 2000 },
    );
  });
});
