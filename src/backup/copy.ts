import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** What COPY needs of the driver's connection; the published type leaves it out. */
type CopyConnection = Readonly<{
  stream: Duplex;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}>;

/** What the driver calls while a statement of ours is the one under way. */
abstract class Copy implements pg.Submittable {
  readonly done: Promise<void>;
  /** How many there were, once it is done. */
  rows = 0;
  protected connection: CopyConnection | null = null;
  /** Why it ends without success; the first reason counts. */
  protected failure: Error | null = null;
  readonly #text: string;
  #settle: (error: Error | null) => void = () => {};

  constructor(text: string) {
    this.#text = text;
    this.done = new Promise((resolve, reject) => {
      this.#settle = (error) => (error === null ? resolve() : reject(error));
    });
    this.done.catch(() => {}); // Whoever waits for it hears of it.
  }

  submit(connection: unknown): void {
    this.connection = connection as CopyConnection;
    this.connection.query(this.#text);
  }

  handleError(error: Error): void {
    this.failure ??= error;
    this.finish(); // After an error the driver says no more.
  }

  handleReadyForQuery(): void {
    this.finish();
  }

  handleCommandComplete({ text }: Readonly<{ text: string }>): void {
    this.rows = Number(/^COPY (\d+)$/.exec(text)?.[1] ?? 0);
  }

  protected finish(): void {
    this.#settle(this.failure);
  }
}

/** COPY … TO STDOUT as bytes, each piece whole rows; the server waits while they are not taken. */
export class CopyOut extends Copy implements AsyncIterable<Buffer> {
  readonly #rows = new PassThrough({ objectMode: true, highWaterMark: 512 });

  handleCopyData({ chunk }: Readonly<{ chunk: Buffer }>): void {
    // A copy: the driver uses the memory of what it has handed over again.
    if (this.#rows.write(Buffer.from(chunk))) return;
    const stream = this.connection?.stream;
    stream?.pause();
    this.#rows.once('drain', () => stream?.resume());
  }

  protected override finish(): void {
    super.finish();
    this.done.then(
      () => this.#rows.end(),
      (error: Error) => this.#rows.destroy(error),
    );
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    return this.#rows[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }
}

/** COPY … FROM STDIN of what a source gives, as fast as the server takes it. */
export class CopyIn extends Copy {
  readonly #source: AsyncIterable<Buffer>;

  constructor(text: string, source: AsyncIterable<Buffer>) {
    super(text);
    this.#source = source;
  }

  handleCopyInResponse(connection: CopyConnection): void {
    void this.#pump(connection);
  }

  async #pump(connection: CopyConnection): Promise<void> {
    try {
      for await (const chunk of this.#source) {
        connection.sendCopyFromChunk(chunk);
        if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain');
      }
      connection.endCopyFrom();
    } catch (error) {
      this.failure ??= error as Error;
      connection.sendCopyFail('the source ended early'); // The server answers with an error, which ends it.
    }
  }
}
