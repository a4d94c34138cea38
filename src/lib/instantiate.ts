import { readFileSync } from 'node:fs';

const compiled = new Map<string, WebAssembly.Module>();

/**
 * The exports of a WebAssembly program that needs nothing but a memory. A thread compiles each file once.
 *
 * @throws Error if the file cannot be read.
 */
export function instantiate(file: URL, memory: WebAssembly.Memory): WebAssembly.Exports {
  const code = compiled.get(file.href) ?? new WebAssembly.Module(readFileSync(file));
  compiled.set(file.href, code);
  return new WebAssembly.Instance(code, { env: { memory } }).exports;
}
