import type { OnnxConversion, Write } from './conversion.ts';
import type { GraphNode } from './network.ts';
import type { Attributes } from './onnx-file.ts';
import type { Weights } from './weights.ts';

/** Conversions of the operations that the built-in networks use. */
export const operations: Readonly<Record<string, Write | undefined>> = {
  Conv2D: convolution('whole'),
  _FusedConv2D: convolution('whole'),
  DepthwiseConv2dNative: convolution('depthwise'),
  FusedDepthwiseConv2dNative: convolution('depthwise'),
  Add: sameOfBoth('Add'),
  AddV2: sameOfBoth('Add'),
  Mul: writeProduct,
  Relu: ({ name, input }, to) => void to.add('Relu', [to.layer(first(input))], name),
  Relu6: ({ name, input }, to) => activate('Relu6', to.layer(first(input)), name, to),
  Prelu: ({ name, input = [] }, to) => void to.add('PRelu', input.map((each) => to.value(each)), name), // prettier-ignore
  Sigmoid: ({ name, input }, to) => void to.add('Sigmoid', [to.layer(first(input))], name),
  Mean: writeMean,
  MaxPool: ({ name, input, attr }, to) => {
    const kernel_shape = overSpace(attr?.['ksize']?.list?.i);
    to.add('MaxPool', [to.layer(first(input))], name, { kernel_shape, ...stepsOf(attr) });
  },
  ResizeBilinear: writeResize,
  ConcatV2: ({ name, input = [] }, to) => {
    const layers = input.slice(0, -1).map((each) => to.layer(each));
    if (to.number(input.at(-1) ?? '') !== 3) throw new Error(`${name} joins other things than channels`);
    to.add('Concat', layers, name, { axis: 1 });
  },
  Pad: writePad,
};

const first = (input: readonly string[] = []) => input[0] ?? '';
const decoded = (text = '') => Buffer.from(text, 'base64').toString();
/** Height and width, out of four numbers that are written as strings. */
const overSpace = (all: readonly string[] = []) => all.slice(1, 3).map(Number);

function stepsOf(attr: GraphNode['attr']): Attributes {
  const isSame = decoded(attr?.['padding']?.s) === 'SAME';
  return { strides: overSpace(attr?.['strides']?.list?.i), auto_pad: isSame ? 'SAME_UPPER' : 'VALID' };
}

function sameOfBoth(operation: string): Write {
  return ({ name, input = [] }, to) => {
    const values = input.map((each) => to.value(each));
    to.add(operation, values, name);
  };
}

/** Converts a convolution with what TensorFlow's optimizer has fused into it: a bias and an activation. */
function convolution(kind: 'whole' | 'depthwise'): Write {
  return ({ name, input = [], attr }, to) => {
    const [layer = '', kernel = '', bias = '', slope = ''] = input;
    const fused = (attr?.['fused_ops']?.list?.s ?? []).map(decoded);
    const { dims, values, size, group } = kernelOf(kind, to.weights(kernel));
    const inputs = [to.layer(layer), to.constant(kernel, dims, values)];
    if (fused[0] === 'BiasAdd') {
      const { values: biases } = to.weights(bias);
      inputs.push(to.constant(bias, [biases.length], biases));
    }
    const activation = fused.find((each) => each !== 'BiasAdd');
    const output = activation === undefined ? name : `${name} before ${activation}`;
    to.add('Conv', inputs, output, { kernel_shape: size, group, ...stepsOf(attr) });
    if (activation === 'Prelu') to.add('PRelu', [output, to.value(slope)], name);
    else if (activation !== undefined) activate(activation, output, name, to);
  };
}

/** Rearranges [height, width, in, out] to [out, in, height, width]; a depthwise kernel, one per channel, has no `in`. */
function kernelOf(kind: 'whole' | 'depthwise', kernel: Weights) {
  const [height = 1, width = 1, channels = 1, others = 1] = kernel.shape;
  const size = [height, width];
  return kind === 'whole'
    ? { dims: [others, channels, ...size], values: rearrange(kernel, [3, 2, 0, 1]), size, group: 1 }
    : { dims: [channels * others, 1, ...size], values: rearrange(kernel, [2, 3, 0, 1]), size, group: channels };
}

function activate(activation: string, input: string, output: string, to: OnnxConversion): void {
  if (activation === 'Relu') to.add('Relu', [input], output);
  else if (activation === 'Relu6') {
    to.add('Clip', [input, to.constant('zero', [], [0]), to.constant('six', [], [6])], output);
  } else throw new Error(`there is no conversion of the activation ${activation}`);
}

/**
 * Converts a product. `x · relu6(x + 3) · c`, which MobileNetV3 has after most layers, becomes `x · clip(cx + 3c, 0, 6c)`
 * with the linear part as a convolution of each channel: ONNX Runtime keeps values of convolutions in blocks of channels,
 * and would rearrange them before and after its own operation for this product.
 */
function writeProduct(layer: GraphNode, to: OnnxConversion): void {
  const swish = hardSwishOf(layer, to);
  const channels = swish === null ? null : channelsOf(swish.x, to);
  if (swish === null || channels === null) {
    sameOfBoth('Mul')(layer, to);
    return;
  }
  const { factor } = swish;
  const x = to.layer(swish.x);
  const each = (name: string, dims: readonly number[], value: number) =>
    to.constant(`${name} of ${layer.name}`, dims, new Float32Array(channels).fill(value));
  const line = [x, each('slope', [channels, 1, 1, 1], factor), each('offset', [channels], factor * 3)];
  const sloped = to.add('Conv', line, `line of ${layer.name}`, { kernel_shape: [1, 1], group: channels });
  const most = to.constant(`most of ${layer.name}`, [], [factor * 6]);
  const gate = to.add('Clip', [sloped, to.constant('zero', [], [0]), most], `gate of ${layer.name}`);
  to.add('Mul', [x, gate], layer.name);
}

/** Number of channels of a convolution, by the biases of its outputs; null for other layers. */
function channelsOf(name: string, to: OnnxConversion): number | null {
  const { op, input = [] } = to.find(name);
  const [, , bias] = input;
  return op.includes('Fused') && bias !== undefined ? to.weights(bias).values.length : null;
}

/** The x and the c of the product above; null for other products. */
function hardSwishOf({ input = [] }: GraphNode, to: OnnxConversion): Readonly<{ x: string; factor: number }> | null {
  const [scaled, clipped] = input.map((name) => (to.number(name) === null ? to.find(name) : null));
  if (scaled?.op !== 'Mul' || clipped?.op !== 'Relu6') return null;
  const sum = to.find(first(clipped.input));
  const [x, factor] = partsOf(scaled, to);
  const [sameX, three] = partsOf(sum, to);
  const isSwish = x !== undefined && x === sameX && sum.op === 'Add' && three === 3 && factor !== null;
  return isSwish ? { x, factor } : null;
}

/** Returns the layer and the number that an operation combines. */
function partsOf({ input = [] }: GraphNode, to: OnnxConversion): readonly [string | undefined, number | null] {
  const numbers = input.map((name) => to.number(name));
  return [input.find((_, i) => numbers[i] === null), numbers.find((value) => value !== null) ?? null];
}

function writeMean({ name, input = [], attr }: GraphNode, to: OnnxConversion): void {
  const [layer = '', axes = ''] = input;
  const isOverSpace = to.weights(axes).values.join(',') === '1,2' && attr?.['keep_dims']?.b === true;
  if (!isOverSpace) throw new Error(`${name} is a mean of other things than height and width`);
  to.add('GlobalAveragePool', [to.layer(layer)], name);
}

/** Converts a resize to a fixed size, if it aligns neither the corner pixels nor the pixel centers. */
function writeResize({ name, input = [], attr }: GraphNode, to: OnnxConversion): void {
  const [layer = '', size = ''] = input;
  if (attr?.['align_corners']?.b === true || attr?.['half_pixel_centers']?.b === true) {
    throw new Error(`${name} interpolates in a way that has no conversion`);
  }
  const sizes = to.constant(`${size} as int64`, [2], to.weights(size).values, 'int64');
  const how = { mode: 'linear', coordinate_transformation_mode: 'asymmetric', axes: [2, 3] } as const;
  to.add('Resize', [to.layer(layer), '', '', sizes], name, how);
}

/** Converts padding with zeros; ONNX lists the numbers before all axes first, then those after. */
function writePad({ name, input = [] }: GraphNode, to: OnnxConversion): void {
  const [layer = '', paddings = ''] = input;
  const { values } = to.weights(paddings);
  const axes = [0, 3, 1, 2];
  const both = [...axes.map((axis) => values[2 * axis] ?? 0), ...axes.map((axis) => values[2 * axis + 1] ?? 0)];
  to.add('Pad', [to.layer(layer), to.constant(`${paddings} as int64`, [8], both, 'int64')], name);
}

/** Rearranges values to another order of their four axes. */
function rearrange({ shape, values }: Weights, order: readonly [number, number, number, number]): Float32Array {
  const stepOf = (axis: number) => shape.slice(axis + 1).reduce((product, side) => product * side, 1);
  const [a, b, c, d] = order.map((axis) => ({ side: shape[axis] ?? 1, step: stepOf(axis) })) as [
    Axis,
    Axis,
    Axis,
    Axis,
  ];
  const ordered = new Float32Array(values.length);
  let at = 0;
  for (let i = 0; i < a.side; i += 1) {
    for (let j = 0; j < b.side; j += 1) {
      for (let k = 0; k < c.side; k += 1) {
        for (let l = 0; l < d.side; l += 1) {
          ordered[at] = values[i * a.step + j * b.step + k * c.step + l * d.step] as number;
          at += 1;
        }
      }
    }
  }
  return ordered;
}

type Axis = Readonly<{ side: number; step: number }>;
