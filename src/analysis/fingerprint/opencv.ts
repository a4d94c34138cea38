import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import process from 'node:process';
import { compileFunction } from 'node:vm';
import type OpenCvModule from '@techstark/opencv-js';
import { loadOnce } from '../../lib/load-once.ts';

/** OpenCV compiled to WebAssembly: the few parts that are used here. */
export type OpenCv = typeof OpenCvModule;

const faultEvents = ['uncaughtException', 'unhandledRejection'];

/**
 * Loads OpenCV at first use, which takes about half a second and 40 MB. OpenCV works synchronously, so a server calls
 * functions that need it only in worker threads. The result is wrapped in an object because the module has its
 * own `then`, which resolves to itself: awaiting it would never end.
 */
export const loadOpenCv = loadOnce(load);

async function load(): Promise<Readonly<{ cv: OpenCv }>> {
  const start = await readPackage();
  const faults: NodeJS.EventEmitter = process;
  const before = new Map(faultEvents.map((event) => [event, faults.listeners(event)]));
  const cv = start();
  if (typeof cv.Mat !== 'function') {
    await new Promise<void>((resolve) => {
      (cv as { onRuntimeInitialized: () => void }).onRuntimeInitialized = resolve;
    });
  }
  // The compiled module adds listeners that rethrow faults of the whole process; they are removed.
  for (const event of faultEvents) {
    for (const listener of faults.listeners(event)) {
      if (!before.get(event)?.includes(listener)) faults.removeListener(event, listener as () => void);
    }
  }
  return { cv };
}

const name = '@techstark/opencv-js';
const [embedding, afterEmbedding] = ['"data:application/octet-stream;base64,AGFzb', '";'] as const;

type Instantiate = (
  imports: WebAssembly.Imports,
  receive: (instance: WebAssembly.Instance) => void,
) => WebAssembly.Exports;

/**
 * The package is one script with its WebAssembly embedded as text. If it were required as it is, each thread would keep
 * this text twice; so the WebAssembly is cut out, compiled, and passed to the script.
 *
 * @returns a function that runs the script.
 */
async function readPackage(): Promise<() => OpenCv> {
  const require = createRequire(import.meta.url);
  const path = require.resolve(name);
  const script = await readFile(path);
  const from = script.indexOf(embedding) + 1;
  const to = script.indexOf(afterEmbedding, from);
  if (from === 0 || to === -1) throw new Error(`${name} has no WebAssembly where it is expected`);
  const text = script.toString('latin1', script.indexOf(',', from) + 1, to);
  const compiled = await WebAssembly.compile(Buffer.from(text, 'base64'));
  const instantiate: Instantiate = (imports, receive) => {
    const instance = new WebAssembly.Instance(compiled, imports);
    receive(instance);
    return instance.exports;
  };
  const before = script.toString('utf8', 0, from);
  const after = script.toString('utf8', to);
  const code = `${before}";Module["instantiateWasm"]=instantiate;"${after}`;
  const given = ['module', 'exports', 'require', '__dirname', 'instantiate'] as const;
  const run = compileFunction(code, given, { filename: path });
  return () => {
    const module = { exports: {} };
    run(module, module.exports, require, dirname(path), instantiate);
    return module.exports as OpenCv;
  };
}
