import { ReplyError } from '../../src/lib/http-contract.ts';

/** A file that is read as it arrives. */
export class StreamedFile {
  readonly name: string;
  readonly mediaType: string | undefined;
  /** Null until the end of the file if it was not announced. */
  readonly length: number | null;
  readonly pieces: AsyncIterable<Buffer>;
  /** Why the file did not arrive. */
  #fault: ReplyError | null = null;

  constructor(
    {
      name = '',
      mediaType,
      length = null,
    }: Readonly<{ name?: string; mediaType?: string | undefined; length?: number | null }>,
    pieces: AsyncIterable<Buffer>,
  ) {
    this.name = name;
    this.mediaType = mediaType;
    this.length = length;
    this.pieces = this.#watched(pieces);
  }

  get fault(): ReplyError | null {
    return this.#fault;
  }

  async *#watched(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* pieces;
    } catch (error) {
      if (error instanceof ReplyError) this.#fault = error;
      throw error;
    }
  }

  /** What error messages quote. */
  toJSON(): unknown {
    return { filename: this.name };
  }
}
