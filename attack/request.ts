import type { Target, KeyName } from './exchange.ts';
import { framings } from './shapes/framings.ts';
import type { FramingName } from './shapes/framings.ts';

export type Header = readonly [name: string, value: string];

/** A request by its parts; what is absent is as an honest client has it. */
export type RequestParts = Readonly<{
  method?: string;
  path: string;
  version?: string;
  /** Whose key is sent; null for none, a text in quotes for that text. */
  key?: KeyName | null;
  headers?: readonly Header[];
  type?: string;
  body?: Buffer;
  framing?: FramingName;
}>;

/** The bytes of a request: its head, then its body as the framing says. */
export function* request(target: Target, parts: RequestParts): Generator<Buffer | string> {
  const { method = 'GET', path, version = 'HTTP/1.1', key = null, headers = [], type, body, framing } = parts;
  const name = framing ?? (body === undefined ? 'none' : 'exact');
  const framed = framings[name](body ?? Buffer.alloc(0));
  const lines: Header[] = [
    ...(headers.some(([header]) => header.toLowerCase() === 'host')
      ? []
      : [['Host', `${target.host}:${target.port}`] as const]),
    ...(key === null ? [] : [['API-Key', target.keys[key]] as const]),
    ...(type === undefined ? [] : [['Content-Type', type] as const]),
    ...headers,
    ...framed.headers,
  ];
  yield `${method} ${path} ${version}\r\n${lines.map(([header, value]) => `${header}: ${value}\r\n`).join('')}\r\n`;
  yield* framed.payload;
}

/** A JSON body. */
export function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

export const jsonType = 'application/json';
export const formType = 'application/x-www-form-urlencoded';
export const multipartType = 'multipart/form-data; boundary=b';

/** One part of a multipart form whose boundary is `b`. */
export function formPart(name: string, content: Buffer | string, file?: string): Buffer {
  const fileName = file === undefined ? '' : `; filename="${file}"`;
  const head = `--b\r\nContent-Disposition: form-data; name="${name}"${fileName}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]);
}

/** A whole form of such parts. */
export function form(...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([...parts, Buffer.from('--b--\r\n')]);
}
