import { createRequire } from 'node:module';
import process from 'node:process';
import type OpenCvModule from '@techstark/opencv-js';
import { loadOnce } from '../../lib/load-once.ts';

/** OpenCV compiled to WebAssembly: the few parts that are used here. */
export type OpenCv = typeof OpenCvModule;

const faultEvents = ['uncaughtException', 'unhandledRejection'];

/**
 * OpenCV, loaded at first use: about half a second and 60 MB. It works synchronously, so a
 * server calls functions that need it only in worker threads. It is wrapped in an object because the module has its
 * own `then`, which resolves to itself: awaiting it would never end.
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
  // The compiled module listens for faults of the whole process and rethrows them; it must not.
  for (const event of faultEvents) {
    for (const listener of faults.listeners(event)) {
      if (!before.get(event)?.includes(listener)) faults.removeListener(event, listener as () => void);
    }
  }
  return { cv };
}
