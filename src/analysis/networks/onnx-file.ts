/**
 * Writes ONNX files: only as much of Protocol Buffers as graphs of convolutions need, written by hand. Field numbers
 * are those of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto); a message is a list of [field, bytes
 * or number].
 */

type Field = readonly [number: number, value: number | string | Uint8Array];

const irVersion = 8;
const usualOpset = 17;
const types = { float: 1, int64: 7 } as const;
const attributeTypes = { int: 2, string: 3, ints: 7 } as const;

export type TensorType = keyof typeof types;
export type Attributes = Readonly<Record<string, number | string | readonly number[]>>;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  do {
    bytes.push(Number(left & 127n) | (left > 127n ? 128 : 0));
    left >>= 7n;
  } while (left > 0n);
  return Buffer.from(bytes);
}

/** Numbers are written as varints; texts and messages are preceded by their length. */
function message(fields: readonly Field[]): Buffer {
  const parts = fields.flatMap(([number, value]) => {
    if (typeof value === 'number') return [varint(number << 3), varint(value)];
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    return [varint((number << 3) | 2), varint(bytes.length), bytes];
  });
  return Buffer.concat(parts);
}

const each = (number: number, values: readonly Field[1][]) => values.map((value): Field => [number, value]);

/** A constant of a graph; its values are written as they are in memory. */
export function tensor(
  name: string,
  dims: readonly number[],
  values: Iterable<number>,
  type: TensorType = 'float',
): Buffer {
  const data = type === 'float' ? Float32Array.from(values) : BigInt64Array.from(Array.from(values, BigInt));
  return message([...each(1, dims), [2, types[type]], [8, name], [9, new Uint8Array(data.buffer)]]);
}

/** An operation; an empty name marks an input that is omitted. */
export function node(
  operation: string,
  inputs: readonly string[],
  outputs: readonly [string, ...string[]],
  attributes: Attributes = {},
): Buffer {
  const own = Object.entries(attributes).map(([name, value]) => {
    if (typeof value === 'number') return message([[1, name], [3, value], [20, attributeTypes.int]]); // prettier-ignore
    if (typeof value === 'string') return message([[1, name], [4, value], [20, attributeTypes.string]]); // prettier-ignore
    return message([[1, name], ...each(8, value), [20, attributeTypes.ints]]);
  });
  return message([...each(1, inputs), ...each(2, outputs), [3, outputs[0]], [4, operation], ...each(5, own)]);
}

/** An input or output; a dimension is a number, or a name if it varies. An output may leave its shape to the runtime. */
function value(name: string, type: TensorType, dims?: readonly (number | string)[]): Buffer {
  const shape = dims?.map((dim) => message([[typeof dim === 'number' ? 1 : 2, dim]]));
  const tensorType = message([
    [1, types[type]],
    ...(shape === undefined ? [] : [[2, message(each(1, shape))] as const]),
  ]);
  return message([
    [1, name],
    [2, message([[1, tensorType]])],
  ]);
}

/** An input or output of floats; a dimension is a number, or a name if it varies. */
export const float = (name: string, dims?: readonly (number | string)[]) => value(name, 'float', dims);
/** The same for integers. */
export const int64 = (name: string, dims?: readonly (number | string)[]) => value(name, 'int64', dims);

type Graph = Readonly<
  Record<'nodes' | 'constants' | 'inputs' | 'outputs', readonly Uint8Array[]> & { name: string; opset?: number }
>;

/** Returns the bytes of a model with one graph. */
export function graph({ name, nodes, constants, inputs, outputs, opset = usualOpset }: Graph): Buffer {
  const own = message([...each(1, nodes), [2, name], ...each(5, constants), ...each(11, inputs), ...each(12, outputs)]);
  return message([
    [1, irVersion],
    [2, 'vitrine'],
    [7, own],
    [
      8,
      message([
        [1, ''],
        [2, opset],
      ]),
    ],
  ]);
}
