// Replies are read by hand here: a client library would hide what is wrong with them.

/** A reply as far as it is judged; `start` has the first bytes of its body. */
export type Reply = { readonly status: number; readonly headers: string; start: string };

/** Bytes of a body that are kept. */
const startBytes = 4096;
const maxHeadBytes = 64 * 1024;

type Mode = 'head' | 'counted' | 'chunk size' | 'chunk' | 'last chunk' | 'until the end';

/** Reads HTTP/1.1 replies one after the other. */
export class ReplyReader {
  /** Every reply whose head has come. */
  readonly replies: Reply[] = [];
  /** How many of them have come to their last byte. */
  complete = 0;
  /** What is wrong with what came, or null. */
  fault: string | null = null;

  readonly #isHead: boolean;
  #mode: Mode = 'head';
  /** Bytes that are still to come of what is read. */
  #left = 0;
  #waiting: Buffer = Buffer.alloc(0);

  constructor({ isHead }: Readonly<{ isHead: boolean }>) {
    this.#isHead = isHead;
  }

  push(bytes: Buffer): void {
    this.#waiting = this.#waiting.length === 0 ? bytes : Buffer.concat([this.#waiting, bytes]);
    while (this.fault === null && this.#waiting.length > 0 && this.#step());
  }

  /** @returns false while more bytes are needed. */
  #step(): boolean {
    if (this.#mode === 'head') return this.#readHead();
    if (this.#mode === 'chunk size') return this.#readChunkSize();
    this.#takeBody(this.#mode === 'until the end' ? this.#waiting.length : this.#left);
    if (this.#mode === 'until the end' || this.#left > 0) return false;
    if (this.#mode === 'chunk') this.#mode = 'chunk size';
    else this.#finish();
    return true;
  }

  #readHead(): boolean {
    const start = this.#waiting.toString('latin1', 0, 9);
    const isLikeOne = 'HTTP/1.1 '.startsWith(start);
    const head = isLikeOne ? this.#takeUntil('\r\n\r\n') : null;
    if (!isLikeOne) this.fault = `no HTTP reply came, but ${JSON.stringify(this.#waiting.toString('latin1', 0, 60))}`;
    else if (head === null && this.#waiting.length > maxHeadBytes) this.fault = 'the head of the reply has no end';
    if (head === null) return false;
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0);
    if (status !== 100) this.#begin(status, head);
    return true;
  }

  #begin(status: number, head: string): void {
    this.replies.push({ status, headers: head, start: '' });
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (this.#isHead || status === 204 || status === 304 || length === '0') return this.#finish();
    this.#left = Number(length ?? 0);
    if (length !== undefined) this.#mode = 'counted';
    else this.#mode = /\r\ntransfer-encoding: *chunked/i.test(head) ? 'chunk size' : 'until the end';
  }

  #readChunkSize(): boolean {
    const line = this.#takeUntil('\r\n');
    if (line === null) return false;
    const size = Number.parseInt(line, 16);
    if (Number.isNaN(size)) this.fault = `a chunk of the reply has the size ${JSON.stringify(line.slice(0, 20))}`;
    // The line end behind a chunk belongs to it; the last chunk is nothing but that.
    this.#mode = size === 0 ? 'last chunk' : 'chunk';
    this.#left = size + 2;
    return true;
  }

  #takeBody(most: number): void {
    const bytes = this.#waiting.subarray(0, most);
    this.#waiting = this.#waiting.subarray(bytes.length);
    this.#left -= bytes.length;
    const reply = this.replies.at(-1);
    if (reply !== undefined && reply.start.length < startBytes) reply.start += bytes.toString('latin1', 0, startBytes);
  }

  /** The text before an end, or null while that has not come. */
  #takeUntil(end: string): string | null {
    const at = this.#waiting.indexOf(end);
    if (at === -1) return null;
    const text = this.#waiting.toString('latin1', 0, at);
    this.#waiting = this.#waiting.subarray(at + end.length);
    return text;
  }

  #finish(): void {
    this.complete += 1;
    this.#mode = 'head';
  }
}
