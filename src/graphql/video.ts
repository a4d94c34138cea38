import { declareRecord } from './record.ts';
import { declareWrites } from './write-records.ts';

declareRecord({ resource: 'video', type: 'Video', many: 'videos', scope: 'vids:read' });
declareWrites({ resource: 'video', type: 'Video', many: 'videos', scope: 'vids:write' });
