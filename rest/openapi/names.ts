import type { Endpoint } from '../endpoints/endpoint.ts';

const verbs: Readonly<Record<string, string>> = { GET: 'get', POST: 'create', PUT: 'replace', PATCH: 'update' };
const singular: Readonly<Record<string, string>> = { imgs: 'img', vids: 'vid' };

/** The operation id that clients of the contract were generated from, such as `img_get_imgs__image_id__get`. */
export function operationIdOf({ path, method }: Pick<Endpoint, 'path' | 'method'>): string {
  const suffix = `${path.replaceAll(/\W/g, '_')}_${method.toLowerCase()}`;
  return `${functionName(path, method)}${suffix}`;
}

function functionName(path: string, method: Endpoint['method']): string {
  const [, noun = '', next, action] = path.replace(/\/$/, '').split('/');
  if (!['imgs', 'vids', 'ops'].includes(noun))
    return [noun, next].filter((part) => part !== undefined && !part.startsWith('{')).join('_');
  if (next === undefined && method === 'GET') return noun === 'ops' ? 'ops_list' : `${noun}_search`;
  const verb = verbOf(method, { noun, next, action });
  return `${next?.startsWith('{') ? (singular[noun] ?? noun) : noun}_${verb}`;
}

function verbOf(
  method: Endpoint['method'],
  { noun, next, action }: Readonly<{ noun: string; next: string | undefined; action: string | undefined }>,
): string {
  if (method === 'POST' && action !== undefined) return action;
  if (noun === 'ops' && method === 'DELETE') return 'abort';
  return next === 'delete' ? next : (verbs[method] ?? 'delete');
}

const tagRows: readonly (readonly [segment: string, name: string, description: string])[] = [
  ['imgs', 'Images', 'Records of pictures: search, read, write.'],
  ['vids', 'Videos', 'Records of videos.'],
  ['ops', 'Operations', 'Operations run writes: follow, list, abort.'],
  ['exports', 'Exports', 'Records as files: CSV, NDJSON, or a ZIP of their originals.'],
  ['formulas', 'Saved formulas', 'Saved formulas that watch.'],
  ['duplicates', 'Duplicates', 'Groups of images that show the same picture.'],
  ['verdicts', 'Verdicts', 'Verdicts of people on pairs of images.'],
  ['webhooks', 'Webhooks', 'Where notifications are sent to: signed messages over HTTP, or email.'],
  ['tag', 'Tagging', 'Captions, keywords, text and colors of one picture, which is not stored.'],
  ['query_imgs', 'Query images', 'Pictures for reverse image search.'],
  ['me', 'Access', 'The caller.'],
  ['health', 'Service', 'Health of the service; no key is needed.'],
];

export const tags = tagRows.map(([, name, description]) => ({ name, description }));

export function tagOf(path: string): string {
  const segment = path.split('/')[1];
  return tagRows.find(([first]) => first === segment)?.[1] ?? 'Service';
}
