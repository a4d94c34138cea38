import type { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import type { ReadableStreamDefaultController } from 'node:stream/web';
import type { Exchange } from '../http/exchange.ts';

/**
 * The bytes of a file that a request sends. They go past the protocol's server, each step of which costs something for a
 * piece: what that is given instead is empty, and ends when they are all there.
 */
export class SentBody {
  readonly #exchange: Exchange;
  #controller: ReadableStreamDefaultController | undefined;
  readonly forProtocol = new ReadableStream({ start: (controller) => void (this.#controller = controller) });

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** The bytes as they arrive, until the protocol's server ends what it was given: another request goes on from there. */
  async *until(given: Readable): AsyncGenerator<Buffer> {
    const body = this.#exchange.streamBody();
    const stop = () => body.end();
    given.once('close', stop).resume();
    try {
      yield* body as AsyncIterable<Buffer>;
    } finally {
      given.off('close', stop);
      this.#controller?.close();
    }
  }
}
