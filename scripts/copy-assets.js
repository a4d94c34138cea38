// What the built program reads at run time besides code: REST's documents.
import { cpSync } from 'node:fs';

cpSync('rest/documents', 'dist/rest/documents', { recursive: true });
