import { readFileSync } from 'node:fs';

const compiled = new Map<string, WebAssembly.Module>();

/**
 * Instantiates a WebAssembly module whose only import is a memory, and returns its exports. Each thread compiles a file
 * once.
 *
 * @throws Error if the file cannot be read.
 */
export function instantiate(file: URL, memory: WebAssembly.Memory): WebAssembly.Exports {
  const code = compiled.get(file.href) ?? new WebAssembly.Module(readFileSync(file));
  compiled.set(file.href, code);
  return new WebAssembly.Instance(code, { env: { memory } }).exports;
}
