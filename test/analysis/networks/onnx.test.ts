import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { blazeface, facemesh } from '../../../src/analysis/analyzers/faces.ts';
import { layersOfBackbone } from '../../../src/analysis/analyzers/embedding.ts';
import { objectDetector } from '../../../src/analysis/analyzers/objects.ts';
import { openBuiltinAnalyzer } from '../../../src/analysis/index.ts';
import { findPackage } from '../../../src/analysis/models/find-package.ts';
import { readGraph } from '../../../src/analysis/networks/network.ts';
import type { GraphFile, Network } from '../../../src/analysis/networks/network.ts';
import { openNetworks, openOnnxRuntime } from '../../../src/analysis/networks/onnx-runtime.ts';
import { runOnWebAssembly } from '../../../src/analysis/networks/tensorflow.ts';
import { toOnnx } from '../../../src/analysis/networks/to-onnx.ts';
import { findOnnxLibrary } from '../../../src/analysis/onnx/find-library.ts';
import { readWeights } from '../../../src/analysis/networks/weights.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { numbersFrom } from '../../similarity/embedded.ts';
import { firstOf, full } from '../../support/effort.ts';

const runtimes = [
  { name: 'the library for this system', runtime: findOnnxLibrary() },
  { name: 'the package for Node', runtime: findPackage('onnxruntime-node', '.') },
].map(({ name, runtime }) => ({ name: `${name}${runtime === null ? ' (skipped: not installed)' : ''}`, runtime }));

describe.each(runtimes)('ONNX Runtime, $name', ({ runtime }) => {
  it.skipIf(runtime === null).each<readonly [Network, number, number, number, number]>([
    [objectDetector, 512, 512, 0, 255],
    [layersOfBackbone, 224, 224, 0, 255],
    [layersOfBackbone, 352, 128, 0, 255],
    [blazeface, 256, 192, -1, 1],
    [blazeface, 320, 480, -1, 1],
    [facemesh, 192, 192, 0, 1],
  ])('gives the values of WebAssembly (%j, %i × %i pixels)', async (network, width, height, least, most) => {
    const random = numbersFrom(width);
    const pixels = Float32Array.from({ length: width * height * 3 }, () => least + random() * (most - least));
    const run = openOnnxRuntime(runtime ?? '');
    const [found, expected] = [
      await run(network, pixels, [width, height]),
      await runOnWebAssembly(network, pixels, [width, height]),
    ];
    expect(found.map(({ shape }) => [...shape])).toEqual(expected.map(({ shape }) => [...shape]));
    for (const [i, { values }] of expected.entries()) {
      const largest = values.reduce((so, value) => Math.max(so, Math.abs(value)), 0);
      const apart = values.reduce((so, value, at) => Math.max(so, Math.abs(value - (found[i]?.values[at] ?? NaN))), 0);
      expect(largest).toBeGreaterThan(0);
      expect(apart).toBeLessThan(Math.max(largest, 1e-3) * 1e-4);
    }
  });

  const folder = 'examples/pictures';
  const pictures = readdirSync(folder).filter((name) => name.endsWith('.jpg'));
  const logger = createLogger('silent');
  const analyzers = [runtime, null].map((onnxRuntime) => openBuiltinAnalyzer({ threads: 1, onnxRuntime, logger }));
  afterAll(() => Promise.all(analyzers.map((each) => each.close())));

  it.skipIf(runtime === null).each(firstOf(1, pictures))('finds what WebAssembly finds in %s', full, async (name) => {
    const bytes = readFileSync(join(folder, name));
    const want = ['faces', 'objects', 'embedding'] as const;
    const [found, expected] = await Promise.all(analyzers.map((each) => each.analyze({ bytes, want })));
    const round = (value: unknown) => JSON.parse(JSON.stringify(value, (_, x: unknown) => (typeof x === 'number' ? Math.round(x * 100) / 100 : x))) as unknown; // prettier-ignore
    for (const which of ['faces', 'objects'] as const) {
      expect(round(found?.outcomes[which]?.result)).toEqual(round(expected?.outcomes[which]?.result));
    }
    const [a, b] = [found, expected].map((each) => Array.from(each?.outcomes.embedding?.result ?? []));
    expect(a).toHaveLength(128);
    expect(Math.max(...(a ?? []).map((value, i) => Math.abs(value - (b?.[i] ?? NaN))))).toBeLessThanOrEqual(1);
  });
});

describe('a built-in network', () => {
  it('runs by WebAssembly where ONNX Runtime is missing or cannot be loaded', () => {
    expect(openNetworks(null)).toBe(runOnWebAssembly);
    for (const name of ['missing.js', 'missing.so']) {
      expect(openNetworks(join(import.meta.dirname, name))).toBe(runOnWebAssembly);
    }
  });

  it.each([
    ['an operation without a conversion', 'tower_0/TopKV2', 'there is no conversion of TopKV2'],
    ['no such layer', 'tower_0/nothing', 'the network has no layer tower_0/nothing'],
  ])('is not converted if it has %s', async (_, layer, message) => {
    const file = await readGraph('centernet');
    expect(() => toOnnx(file, { ...objectDetector, outputs: [layer] })).toThrow(message);
  });

  it.each([
    [0x0000, 0],
    [0x3c00, 1],
    [0xc000, -2],
    [0x3555, 0.333251953125],
    [0x7bff, 65504],
    [0x0001, 2 ** -24],
    [0x8400, -(2 ** -14)],
    [0x7c00, Infinity],
    [0xfc00, -Infinity],
    [0x7e00, NaN],
  ])('has weights of 16 bits: %i is %d', (bits, value) => {
    const weightSpecs: GraphFile['weightSpecs'] = [
      { name: 'before', shape: [2], dtype: 'int32' },
      { name: 'half', shape: [], dtype: 'float32', quantization: { dtype: 'float16' } },
    ];
    const weightData = new Uint8Array([1, 0, 0, 0, 2, 0, 0, 0, bits & 255, bits >> 8]).buffer;
    const weights = readWeights({ weightSpecs, weightData });
    expect(weights.get('before')?.values).toEqual(Int32Array.of(1, 2));
    expect(weights.get('half')?.values[0]).toBe(value);
  });
});
