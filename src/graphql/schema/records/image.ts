import { declareRecord } from './record.ts';
import { declareWrites } from './declare-writes.ts';

const names = { resource: 'image', type: 'Image', many: 'images' } as const;

export const { type: Image, facet: ImageFacet } = declareRecord({ ...names, scope: 'imgs:read' });
declareWrites({ ...names, scope: 'imgs:write' });
