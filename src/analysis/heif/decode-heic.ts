import { Worker } from 'node:worker_threads';
import { ElementError } from '../../lib/errors.ts';
import { builtFile } from '../../lib/package-root.ts';
import { isCutOff } from './is-cut-off.ts';
import type { HeicAnswer, HeicFault, HeicTask } from './heic-worker.ts';

const workerFile = builtFile('analysis/heif/heic-worker.js');

/** JavaScript heap of the thread; the pixels are outside it. */
const heapMb = 64;

/**
 * Decodes a HEIC, which our build of sharp cannot, to an uncompressed TIFF that sharp can read, upright and with its
 * color profile. Each picture gets a thread of its own: decoding can block a thread for seconds, and WebAssembly
 * never returns memory.
 *
 * @param maxPixels as stated in the header, from which the cost was estimated: the file must not have more
 * @returns null if the picture is not HEVC, such as AV1 in a file that does not say so
 * @throws ElementError `decode_failed` or `too_large`
 */
export async function decodeHeic(bytes: Buffer, maxPixels: number): Promise<Buffer | null> {
  const answer: HeicAnswer = isCutOff(bytes) ? { fault: 'cut off' } : await ask({ bytes, maxPixels });
  if ('tiff' in answer) return Buffer.from(answer.tiff.buffer);
  if (answer.fault === 'another codec') return null;
  const { code, message } = faults[answer.fault];
  throw new ElementError(code, message);
}

const faults = {
  'too many pixels': { code: 'too_large', message: 'the HEIC file has more pixels than its header states' },
  'too much memory': { code: 'too_large', message: 'decoding the HEIC file takes too much memory' },
  'cut off': { code: 'decode_failed', message: 'the HEIC file is damaged: it is cut off' },
  corrupt: { code: 'decode_failed', message: 'the HEIC file is damaged: its data is corrupt' },
} as const satisfies Record<Exclude<HeicFault, 'another codec'>, unknown>;

function ask(task: HeicTask): Promise<HeicAnswer> {
  return new Promise((resolve) => {
    const thread = new Worker(workerFile, { workerData: task, resourceLimits: { maxOldGenerationSizeMb: heapMb } });
    thread.once('message', resolve);
    // Its WebAssembly failed, which only happens with damaged files.
    thread.once('error', () => resolve({ fault: 'corrupt' }));
    thread.once('exit', () => resolve({ fault: 'corrupt' }));
  });
}
