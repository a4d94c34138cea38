import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';

/**
 * Packages that contain the library of ONNX Runtime for one system each, by Node's platform and architecture, with the
 * library's file name. They are optional dependencies: npm installs the one for this system. `onnxruntime-node` has the
 * libraries of all systems, which take seven times as much space.
 */
const libraries: Readonly<Record<string, readonly [name: string, file: string]>> = {
  'linux x64': ['sherpa-onnx-linux-x64', 'libonnxruntime.so'],
  'linux arm64': ['sherpa-onnx-linux-arm64', 'libonnxruntime.so'],
  'darwin x64': ['sherpa-onnx-darwin-x64', 'libonnxruntime.dylib'],
  'darwin arm64': ['sherpa-onnx-darwin-arm64', 'libonnxruntime.dylib'],
  'win32 x64': ['sherpa-onnx-win-x64', 'onnxruntime.dll'],
};

/** Path of the ONNX Runtime library for this system; null if no installed package has one. */
export function findOnnxLibrary(): string | null {
  const library = libraries[`${process.platform} ${process.arch}`];
  if (library === undefined) return null;
  const [name, file] = library;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), file);
  } catch {
    return null;
  }
}

/** Whether a path points to a library, not to a package. */
export function isLibrary(path: string): boolean {
  return /\.(so|dylib|dll)$/.test(path);
}
