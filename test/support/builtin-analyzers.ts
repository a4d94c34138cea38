import { afterEach } from 'vitest';
import { openBuiltinAnalyzer } from '../../src/analysis/index.ts';
import type { BuiltinAnalyzer } from '../../src/analysis/index.ts';

/** Opens builtin analyzers in processes of their own; each is closed after its test. */
export function builtinAnalyzerOpener(): typeof openBuiltinAnalyzer {
  const opened: BuiltinAnalyzer[] = [];
  afterEach(async () => {
    for (const builtinAnalyzer of opened.splice(0)) await builtinAnalyzer.close();
  });
  return (...args) => {
    const builtinAnalyzer = openBuiltinAnalyzer(...args);
    opened.push(builtinAnalyzer);
    return builtinAnalyzer;
  };
}
