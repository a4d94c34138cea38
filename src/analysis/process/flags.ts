/**
 * Flags of Node for the process that analyzes. Most of its numbers are in arrays outside of the heaps, which V8 counts
 * as if they were in them: with its own settings it collects all garbage once or twice for each picture, and with
 * it compiled code that nothing refers to just then, which costs a fifth of all processor time. So the heap may grow to
 * three and a half times what is alive. With V8's usual room for young objects each thread would keep 32 MB without being faster.
 * Measured by `npm run bench -- analysis`.
 */
export const analysisFlags = ['--max-semi-space-size=8', '--heap-growing-percent=250'] as const;
