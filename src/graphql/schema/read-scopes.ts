import type { Resource } from '../../catalog/index.ts';
import type { Scope } from '../../tenants/index.ts';

/** The scope for reading records, and for what contains them: changes, collections, exports. */
export const readScopes = { image: 'imgs:read', video: 'vids:read' } as const satisfies Record<Resource, Scope>;
