import { downloadsPath } from '../exports/index.ts';
import { allMethods, graphqlPath, pathOf } from '../http/request/routes.ts';
import { apiDocsPaths } from './api-docs.ts';
import { consoleFiles, consolePath, sessionPath } from './console-files.ts';
import { httpApis } from './http-apis.ts';
import { mcpPath } from './mcp-path.ts';
import { uploadMethods } from './upload-paths.ts';

const reads = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Paths that belong to no API of `httpApis`, with their methods. A path that ends with a slash covers everything below it.
 */
export const ownPaths: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['/', reads],
  [graphqlPath, [...reads, 'POST']],
  [mcpPath, ['OPTIONS', 'POST']],
  ['/health', reads],
  ['/ready', reads],
  ['/metrics', reads],
  ['/backup', reads],
  [consolePath, reads],
  ...consoleFiles.map(({ path }) => [path, reads] as const),
  [sessionPath, [...reads, 'POST', 'DELETE']],
  ['/previews/', reads],
  ['/files/', reads],
  [downloadsPath, reads],
  ...Object.entries(uploadMethods),
  ...httpApis.flatMap(() => apiDocsPaths.map((path) => [path, reads] as const)),
]);

/** All methods of a target's path, for `Allow`; null if the path does not exist. */
export function allowOf(target: string): string | null {
  if (target === '*') return allMethods;
  const own = ownPaths.get(ownPathOf(pathOf(target)));
  if (own !== undefined) return own.join(', ');
  for (const api of httpApis) {
    const allow = api.allowOf(target);
    if (allow !== null) return allow;
  }
  return null;
}

/** The key of a path in `ownPaths`: the path itself, or the folder that contains it. */
export function ownPathOf(path: string): string {
  if (ownPaths.has(path)) return path;
  const end = path.indexOf('/', 1);
  const folder = end === -1 ? `${path}/` : path.slice(0, end + 1);
  return ownPaths.has(folder) ? folder : path;
}
