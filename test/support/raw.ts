import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** A reply as it came over the wire. */
export type RawReply = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>;

/** Splits what a server wrote into its replies; every one must say how long it is, or be the last. */
export function parseReplies(bytes: Buffer, { isHead = false } = {}): RawReply[] {
  const replies: RawReply[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) throw new Error(`no whole reply in ${JSON.stringify(rest.toString('latin1'))}`);
    const [line = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n');
    const headers: Record<string, string> = {};
    for (const each of lines) {
      const [name, value] = [each.slice(0, each.indexOf(':')).toLowerCase(), each.slice(each.indexOf(':') + 1).trim()];
      headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`; // Said twice is seen.
    }
    const status = Number(line.split(' ')[1]);
    const hasBody = !isHead && status >= 200 && status !== 204 && status !== 304;
    const length = hasBody ? Number(headers['content-length'] ?? rest.length - end - 4) : 0;
    replies.push({ status, headers, body: rest.toString('utf8', end + 4, end + 4 + length) });
    rest = rest.subarray(end + 4 + length);
  }
  return replies;
}

/** A connection of which the test writes every byte. */
export type Wire = Readonly<{
  socket: Socket;
  write(text: string | Buffer): void;
  /** Everything the server has written so far. */
  received(): Buffer;
  /** How long that is. */
  receivedBytes(): number;
  /** When the server has ended the connection; fails on a reset before it has. */
  ended: Promise<RawReply[]>;
}>;

export async function openWire(url: string, options: { isHead?: boolean } = {}): Promise<Wire> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const parts: Buffer[] = [];
  let bytes = 0;
  socket.on('data', (part) => {
    parts.push(part);
    bytes += part.length;
  });
  const ended = new Promise<RawReply[]>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('end', () => resolve(parseReplies(Buffer.concat(parts), options)));
    socket.once('close', () => reject(new Error('closed without an end')));
  });
  ended.catch(() => {}); // Tests that do not await the end ignore its failure.
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const write = (text: string | Buffer) => void socket.write(text);
  return { socket, write, received: () => Buffer.concat(parts), receivedBytes: () => bytes, ended };
}

/** Sends bytes, in pieces if several are given, and reads replies until the server ends the connection. */
export async function exchange(url: string, ...pieces: (string | Buffer)[]): Promise<RawReply[]> {
  const wire = await openWire(url, { isHead: String(pieces[0]).startsWith('HEAD ') });
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, 30));
    wire.write(piece);
  }
  return wire.ended;
}
