import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';

/**
 * Packages that contain the library of ONNX Runtime for one system each, by platform and processor of Node, and its
 * name there. They are optional dependencies: npm installs the one of this system. `onnxruntime-node` has the
 * libraries of all systems, which is seven times as much.
 */
const libraries: Readonly<Record<string, readonly [name: string, file: string]>> = {
  'linux x64': ['sherpa-onnx-linux-x64', 'libonnxruntime.so'],
  'linux arm64': ['sherpa-onnx-linux-arm64', 'libonnxruntime.so'],
  'darwin x64': ['sherpa-onnx-darwin-x64', 'libonnxruntime.dylib'],
  'darwin arm64': ['sherpa-onnx-darwin-arm64', 'libonnxruntime.dylib'],
  'win32 x64': ['sherpa-onnx-win-x64', 'onnxruntime.dll'],
};

/** The path of ONNX Runtime's library for this system; null where no package has one. */
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

/** Whether a path is that of a library, not of a package. */
export function isLibrary(path: string): boolean {
  return /\.(so|dylib|dll)$/.test(path);
}
