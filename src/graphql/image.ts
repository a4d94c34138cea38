import { declareRecord } from './record.ts';
import { declareWrites } from './write-records.ts';

declareRecord({ resource: 'image', type: 'Image', many: 'images', scope: 'imgs:read' });
declareWrites({ resource: 'image', type: 'Image', many: 'images', scope: 'imgs:write' });
