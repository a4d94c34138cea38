import { parentPort, workerData } from 'node:worker_threads';
import { loadKernels } from './wasm/kernels.ts';
import { runScan } from './scan.ts';
import type { ScanHits, Scan } from './scan.ts';

/** Start data of a thread: the shared memory and its own place in it. */
export type WorkerData = Readonly<{ memory: WebAssembly.Memory; scratch: number }>;
export type WorkerReply = Readonly<{ id: number } & ({ found: ScanHits } | { error: string })>;

const { memory, scratch } = workerData as WorkerData;
const kernels = loadKernels(memory);

parentPort?.on('message', ({ id, scan }: Readonly<{ id: number; scan: Scan }>) => {
  parentPort?.postMessage(answer(id, scan), []);
});

function answer(id: number, scan: Scan): WorkerReply {
  try {
    // The buffer is read each time: another thread may have grown the memory.
    return { id, found: runScan(kernels, memory.buffer, scratch, scan) };
  } catch (error) {
    return { id, error: String(error) };
  }
}
