import type { Exchange } from '../http/exchange.ts';

/** Path for uploads: by POST as a whole, or resumably by the tus protocol, which creates an upload here. */
export const uploadsPath = '/uploads';
/** Path prefix of uploads in progress. */
export const begunUploadsPath = `${uploadsPath}/`;

/** Methods of both paths. */
export const uploadMethods = {
  [uploadsPath]: ['OPTIONS', 'POST'],
  [begunUploadsPath]: ['HEAD', 'OPTIONS', 'PATCH', 'DELETE'],
} as const satisfies Record<string, readonly string[]>;

/** Methods that a tus client that cannot send them names in a header of a POST instead. */
const overriding: readonly string[] = ['PATCH', 'DELETE'];

/** The method of a request, on these paths. */
export function uploadMethodOf(exchange: Exchange): string {
  const { method } = exchange;
  if (method !== 'POST' || exchange.header('tus-resumable') === undefined) return method;
  const named = exchange.header('x-http-method-override')?.toUpperCase() ?? method;
  return overriding.includes(named) ? named : method;
}
