import { ElementError } from '../lib/errors.ts';
import type { Resource } from './fields.ts';

/**
 * Ids that no path can address, because it is the path of a REST endpoint: `/imgs/explain`. A test derives them from
 * the routes.
 */
export const reservedIds: Readonly<Record<Resource, readonly string[]>> = {
  image: ['delete', 'explain'],
  video: ['delete'],
};

/** Path segments that clients remove, no matter how they are encoded (WHATWG URL, 4.4). */
const dots: readonly string[] = ['.', '..'];

/**
 * Checks that a new record can be addressed by a path.
 *
 * @throws ElementError `invalid_field` for an id that no path can address.
 */
export function checkAddressable(resource: Resource, id: string): void {
  if (dots.includes(id)) {
    throw new ElementError('invalid_field', `id '${id}' is not allowed: clients remove it from URLs`, 'id');
  }
  if (!reservedIds[resource].includes(id)) return;
  const path = `/${resource === 'image' ? 'imgs' : 'vids'}/${id}`;
  throw new ElementError('invalid_field', `id '${id}' is reserved: ${path} is an endpoint of its own`, 'id');
}
