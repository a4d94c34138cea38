import type { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import type { ReadableStreamDefaultController } from 'node:stream/web';
import type { Exchange } from '../http/exchange.ts';
import { ReplyError } from '../lib/http-contract.ts';

/**
 * The body of a request that uploads a file. Its bytes bypass the tus server, whose every step costs time per piece:
 * that server gets an empty stream instead, which ends once all bytes have arrived.
 */
export class SentBody {
  readonly #exchange: Exchange;
  /** Why the bytes did not arrive: the tus server would hide it. */
  fault: ReplyError | null = null;
  #controller: ReadableStreamDefaultController | undefined;
  readonly forProtocol = new ReadableStream({ start: (controller) => void (this.#controller = controller) });

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Yields the bytes as they arrive, until the tus server closes its input: another request continues from there. */
  async *until(given: Readable): AsyncGenerator<Buffer> {
    const body = this.#exchange.streamBody();
    const stop = () => body.end();
    given.once('close', stop).resume();
    try {
      yield* body as AsyncIterable<Buffer>;
    } catch (error) {
      if (error instanceof ReplyError) this.fault = error;
      throw error;
    } finally {
      given.off('close', stop);
      this.#controller?.close();
    }
  }
}
