import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { listen } from './listen.ts';

/** Files of repositories by their path. Large ones are those that Git stores by LFS. */
export type Repositories = Readonly<Record<string, Readonly<Record<string, { content: Buffer; isLarge: boolean }>>>>;

/** What happens to the next requests for the content of a file, one after the other; then they are answered. */
export type HubFault = 'cut' | 'hang' | 'damage' | 'no ranges' | 'busy';

export type HubServer = Readonly<{
  url: string;
  /** Requests in their order: method, path without query, range. */
  asked: string[];
  /** Headers of the requests for content, where it lies. */
  headers: IncomingMessage['headers'][];
  faults: HubFault[];
  close(): void;
}>;

type Options = Readonly<{
  /** Files on a page of a list. */
  pageSize?: number;
  token?: string;
  certificate?: Readonly<{ key: string; cert: string }> | null;
}>;

const sha = (kind: 'sha1' | 'sha256', ...parts: (string | Buffer)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash(kind)).digest('hex');
const gitBlob = (content: Buffer) => sha('sha1', `blob ${content.length}\0`, content);
/** The small file that Git has in place of a large one. */
const pointerTo = (content: Buffer) =>
  Buffer.from(
    `version https://git-lfs.github.com/spec/v1\noid sha256:${sha('sha256', content)}\nsize ${content.length}\n`,
  );

/**
 * A server that speaks as huggingface.co does: lists of files, contents of small files, redirects to another server for
 * large ones, which refuses the token of the hub.
 */
export async function openHubServer(repositories: Repositories, options: Options = {}): Promise<HubServer> {
  const { pageSize = 1000, token, certificate } = options;
  const [asked, headers, faults] = [[] as string[], [] as IncomingMessage['headers'][], [] as HubFault[]];
  const opened = (answer: (request: IncomingMessage, response: ServerResponse, url: URL) => void): Server => {
    const onRequest = (request: IncomingMessage, response: ServerResponse) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      asked.push([request.method, url.pathname, request.headers.range].filter(Boolean).join(' '));
      answer(request, response, url);
    };
    return certificate == null ? createServer(onRequest) : createSecureServer(certificate, onRequest);
  };
  const serve = (request: IncomingMessage, response: ServerResponse, content: Buffer, etag: string) => {
    headers.push(request.headers);
    sendContent(request, response, { content, etag, fault: faults.shift() });
  };
  const files = opened((request, response, { pathname, searchParams }) => {
    // As storage with signed addresses does.
    if (request.headers.authorization !== undefined || !searchParams.has('Signature')) {
      return void response.writeHead(400).end('Only one auth mechanism allowed');
    }
    const content = Object.values(repositories)
      .flatMap((each) => Object.values(each))
      .find((each) => pathname.endsWith(sha('sha256', each.content)))?.content;
    serve(request, response, content as Buffer, sha('sha256', content as Buffer));
  });
  const scheme = (address: string) =>
    certificate == null ? address : address.replace('http://127.0.0.1', 'https://localhost');
  const filesUrl = scheme(await listen(files));
  const hub = opened((request, response, url) => {
    const [, repository = '', rest = ''] = /^(?:\/api\/models)?\/([^/]+\/[^/]+)(\/.*)$/.exec(url.pathname) ?? [];
    const found = repositories[repository];
    const isSignedIn = request.headers.authorization === `Bearer ${token}`;
    if (found === undefined || (token !== undefined && !isSignedIn)) return refuse(response, isSignedIn);
    if (url.pathname.startsWith('/api/')) return sendTree(response, url, { files: found, pageSize });
    const path = decodeURIComponent(rest.replace('/resolve/main/', ''));
    const file = found[path];
    if (file === undefined)
      return void response.writeHead(404, { 'X-Error-Code': 'EntryNotFound' }).end('Entry not found');
    const { content, isLarge } = file;
    if (!isLarge) return serve(request, response, content, gitBlob(content));
    const oid = sha('sha256', content);
    response.writeHead(302, {
      Location: `${filesUrl}/repos/${oid}?response-content-disposition=attachment&Signature=abc`,
      'X-Linked-Size': content.length,
      'X-Linked-Etag': `"${oid}"`,
      ETag: `"${gitBlob(pointerTo(content))}"`,
      'X-Repo-Commit': '0'.repeat(40),
      'Accept-Ranges': 'bytes',
    });
    response.end(`Found. Redirecting to ${filesUrl}`);
  });
  const url = scheme(await listen(hub));
  const close = () => {
    for (const server of [hub, files]) {
      server.closeAllConnections();
      server.close();
    }
  };
  return { url, asked, headers, faults, close };
}

/** What does not exist looks like what one may not see. */
function refuse(response: ServerResponse, isSignedIn: boolean): void {
  response.writeHead(isSignedIn ? 404 : 401, {
    'X-Error-Code': 'RepoNotFound',
    'X-Error-Message': 'Repository not found',
  });
  response.end(JSON.stringify({ error: isSignedIn ? 'Repository not found' : 'Invalid username or password.' }));
}

type Tree = Readonly<{ files: Repositories[string]; pageSize: number }>;

function sendTree(response: ServerResponse, url: URL, { files, pageSize }: Tree): void {
  const all = [
    { type: 'directory', oid: '1'.repeat(40), size: 0, path: 'onnx' },
    ...Object.entries(files).map(([path, { content, isLarge }]) => ({
      type: 'file',
      oid: gitBlob(isLarge ? pointerTo(content) : content),
      size: content.length,
      path,
      ...(isLarge && {
        lfs: { oid: sha('sha256', content), size: content.length, pointerSize: pointerTo(content).length },
        xetHash: '2'.repeat(64),
      }),
    })),
  ];
  const from = Number(url.searchParams.get('cursor') ?? 0);
  const next =
    from + pageSize < all.length
      ? `<http://${response.req.headers.host}${url.pathname}?recursive=true&cursor=${from + pageSize}>; rel="next"`
      : '';
  response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', ...(next !== '' && { Link: next }) });
  response.end(JSON.stringify(all.slice(from, from + pageSize)));
}

type Sent = Readonly<{ content: Buffer; etag: string; fault: HubFault | undefined }>;

function sendContent(request: IncomingMessage, response: ServerResponse, { content, etag, fault }: Sent): void {
  if (fault === 'busy')
    return void response.writeHead(503, { 'Content-Type': 'text/plain' }).end('Service Unavailable');
  const [, start] = fault === 'no ranges' ? [] : (/^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? []);
  const from = Number(start ?? 0);
  if (from >= content.length)
    return void response.writeHead(416, { 'Content-Range': `bytes */${content.length}` }).end();
  const part = Buffer.from(content.subarray(from));
  if (fault === 'damage') part[part.length - 1] = (part.at(-1) ?? 0) ^ 1;
  response.writeHead(start === undefined ? 200 : 206, {
    'Content-Length': part.length,
    ETag: `"${etag}"`,
    'Accept-Ranges': 'bytes',
    ...(start !== undefined && { 'Content-Range': `bytes ${from}-${content.length - 1}/${content.length}` }),
  });
  if (fault === 'hang') return void response.write(part.subarray(0, 10));
  if (fault !== 'cut') return void response.end(part);
  response.write(part.subarray(0, Math.ceil(part.length / 2)), () => setTimeout(() => response.destroy(), 100));
}
