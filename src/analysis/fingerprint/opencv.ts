import { createRequire } from 'node:module';
import process from 'node:process';
import type OpenCvModule from '@techstark/opencv-js';
import { loadOnce } from '../../lib/load-once.ts';

/** OpenCV compiled to WebAssembly: the few parts that are used here. */
export type OpenCv = typeof OpenCvModule;

const faultEvents = ['uncaughtException', 'unhandledRejection'];

/**
 * OpenCV, loaded at the first use: about half a second and 60 MB. Its work is synchronous, so a
 * server calls what needs it in worker threads only. It comes in an object because the module has a
 * `then` of its own, which resolves to itself: awaiting it would never end.
 */
export const loadOpenCv = loadOnce(load);

async function load(): Promise<Readonly<{ cv: OpenCv }>> {
  const faults: NodeJS.EventEmitter = process;
  const before = new Map(faultEvents.map((event) => [event, faults.listeners(event)]));
  const cv = createRequire(import.meta.url)('@techstark/opencv-js') as OpenCv;
  if (typeof cv.Mat !== 'function') {
    await new Promise<void>((resolve) => {
      (cv as { onRuntimeInitialized: () => void }).onRuntimeInitialized = resolve;
    });
  }
  // The compiled module listens for faults of the whole process and rethrows them: that is not its business.
  for (const event of faultEvents) {
    for (const listener of faults.listeners(event)) {
      if (!before.get(event)?.includes(listener)) faults.removeListener(event, listener as () => void);
    }
  }
  return { cv };
}
