import { isCode, VitrineError } from './errors.ts';
import type { Cancelable } from './operations.ts';
import { pause } from './transport.ts';
import type { Transport } from './transport.ts';

/** How much of a file has arrived. With its address, the upload can continue later or elsewhere. */
export type UploadProgress = Readonly<{ sent: number; total: number; address: string }>;

export type UploadOptions = Cancelable &
  Readonly<{
    /** The name of the file; by default, that of a File. */
    name?: string;
    /** The address of an upload to resume. */
    resume?: string;
    /** Bytes per request; 8 MiB by default. */
    pieceSize?: number;
    onProgress?: (progress: UploadProgress) => void;
  }>;

/** A file that the service has stored; writes refer to it by its `src_path`. */
export type UploadedFile = Readonly<{ src_path: string; address: string }>;

const protocol = { 'Tus-Resumable': '1.0.0' };

/** Files that become sources of records, sent in pieces by the tus protocol. */
export class Uploads {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Sends a file. If a connection breaks, what has arrived is kept, and only the rest is sent again.
   *
   * @throws VitrineError `upload_conflict` if the upload to resume is of a file of another size
   */
  async send(file: Blob, options: UploadOptions = {}): Promise<UploadedFile> {
    const { signal, resume, onProgress, pieceSize = 8 * 2 ** 20 } = options;
    const address = resume ?? (await this.#create(file, options));
    let { offset, srcPath, length } = await this.#state(address, signal);
    if (srcPath === null && length !== file.size)
      throw new VitrineError(
        'upload_conflict',
        `The upload is of a file of ${length} bytes, this one has ${file.size}`,
      );
    for (let failures = 0; srcPath === null;) {
      onProgress?.({ sent: offset, total: file.size, address });
      try {
        ({ offset, srcPath } = await this.#sendPiece(address, file.slice(offset, offset + pieceSize), offset, signal));
        failures = 0;
      } catch (error) {
        failures += 1;
        if (!isPassing(error) || failures > this.#transport.retries) throw error;
        await pause(250 * 2 ** failures, signal);
        ({ offset, srcPath } = await this.#state(address, signal));
      }
    }
    onProgress?.({ sent: file.size, total: file.size, address });
    return { src_path: srcPath, address };
  }

  async #create(
    file: Blob,
    { name = 'name' in file ? String(file.name) : 'file', signal }: UploadOptions,
  ): Promise<string> {
    const metadata = { filename: name, ...(file.type !== '' && { filetype: file.type }) };
    const reply = await this.#transport.send('/uploads', {
      method: 'POST',
      headers: {
        ...protocol,
        'Upload-Length': String(file.size),
        'Upload-Metadata': Object.entries(metadata)
          .map(([key, value]) => `${key} ${toBase64(value)}`)
          .join(','),
      },
      signal,
      // May be repeated, because an upload that receives nothing is removed.
      isRepeatable: true,
    });
    return reply.headers.get('location') ?? '';
  }

  async #state(address: string, signal: AbortSignal | undefined): Promise<State> {
    return stateOf(await this.#transport.send(address, { method: 'HEAD', headers: protocol, signal }));
  }

  async #sendPiece(address: string, body: Blob, offset: number, signal: AbortSignal | undefined): Promise<State> {
    const reply = await this.#transport.send(address, {
      method: 'PATCH',
      headers: { ...protocol, 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' },
      body,
      signal,
    });
    return stateOf(reply);
  }
}

/** What has arrived; the length of the whole file is only in replies to HEAD. */
type State = Readonly<{ offset: number; length: number; srcPath: string | null }>;

function stateOf({ headers }: Response): State {
  const path = headers.get('src-path');
  const [offset, length] = ['upload-offset', 'upload-length'].map((name) => Number(headers.get(name))) as [
    number,
    number,
  ];
  return { offset, length, srcPath: path === null ? null : decodeURI(path) };
}

/** Whether the upload can resume: the connection broke, or the service has another offset. */
function isPassing(error: unknown): boolean {
  return (
    isCode(error, 'connection_failed', 'unavailable', 'upload_conflict') ||
    (error instanceof VitrineError && error.status >= 500)
  );
}

function toBase64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}
