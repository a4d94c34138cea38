import { loadOnce } from '../../lib/load-once.ts';
import { chooseEncoding, compress } from './compression.ts';
import { entityTagOf, isKnown } from './entity-tag.ts';
import type { Exchange } from '../exchange.ts';
import type { SendPage } from './page.ts';
import { endReply } from './send.ts';

/** A file that is the same for every client. */
export type Asset = Readonly<{
  type: string;
  /** Value of `Cache-Control`. */
  cache: string;
  /** Additional headers, alternating names and values. */
  headers?: readonly string[];
  read: () => Buffer | Promise<Buffer>;
}>;

type Ready = Readonly<{ tag: string; identity: Buffer; gzip: Buffer; br: Buffer }>;

/** Returns a function that sends a file; the file is built at the first request and cached, plain and compressed. */
export function createAsset({ type, cache, headers: own = [], read }: Asset): SendPage {
  const load = loadOnce(async () => prepare(await read()));
  return async (exchange: Exchange) => {
    const { tag, ...contents } = await load();
    const { headers } = exchange.incoming;
    const lines = [...exchange.headers(), ...own, 'ETag', tag, 'Cache-Control', cache];
    lines.push(...exchange.vary('Accept-Encoding'));
    if (isKnown(exchange.incoming, tag)) return endReply(exchange, 304, lines, undefined);
    const encoding = chooseEncoding(headers['accept-encoding']);
    const content = contents[encoding];
    lines.push('Content-Type', type, 'Content-Length', String(content.length));
    if (encoding !== 'identity') lines.push('Content-Encoding', encoding);
    endReply(exchange, 200, lines, content);
  };
}

async function prepare(identity: Buffer): Promise<Ready> {
  const [gzip, br] = await Promise.all([
    compress(identity, 'gzip', { isPage: true }),
    compress(identity, 'br', { isPage: true }),
  ]);
  return { tag: entityTagOf(identity.toString('latin1')), identity, gzip, br };
}
