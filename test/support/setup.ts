import { afterEach } from 'vitest';
import { cleanUp } from './program.ts';

// Modules are loaded once for all files of a process; hooks of each file are registered here.
afterEach(cleanUp);
