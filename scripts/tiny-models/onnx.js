// Writes ONNX files: Protocol Buffers by hand, as far as small graphs need them. Numbers of fields are
// those of onnx.proto; a message is a list of [field, bytes or number].
import { Buffer } from 'node:buffer';

const irVersion = 8;
const opset = 17;
const types = { float: 1, int64: 7 };
const attributeTypes = { int: 2, ints: 7 };

function varint(value) {
  const bytes = [];
  let left = BigInt.asUintN(64, BigInt(value));
  do {
    bytes.push(Number(left & 127n) | (left > 127n ? 128 : 0));
    left >>= 7n;
  } while (left > 0n);
  return Buffer.from(bytes);
}

/** Numbers are varints, texts and messages have their length before them. */
function message(fields) {
  const parts = fields.flatMap(([number, value]) => {
    if (typeof value === 'number') return [varint(number << 3), varint(value)];
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    return [varint((number << 3) | 2), varint(bytes.length), bytes];
  });
  return Buffer.concat(parts);
}

const each = (number, values) => values.map((value) => [number, value]);

/** A constant of a graph; its values are written as they lie in memory. */
export function tensor(name, dims, values, type = 'float') {
  const data = type === 'float' ? Float32Array.from(values) : BigInt64Array.from(values, BigInt);
  const raw = Buffer.from(data.buffer);
  return message([...each(1, dims), [2, types[type]], [8, name], [9, raw]]);
}

/** An operation; attributes are whole numbers or lists of them. */
export function node(operation, inputs, outputs, attributes = {}) {
  const own = Object.entries(attributes).map(([name, value]) =>
    Array.isArray(value)
      ? message([[1, name], ...each(8, value), [20, attributeTypes.ints]])
      : message([
          [1, name],
          [3, value],
          [20, attributeTypes.int],
        ]),
  );
  return message([...each(1, inputs), ...each(2, outputs), [3, outputs[0]], [4, operation], ...each(5, own)]);
}

function value(name, type, dims) {
  const shape = dims.map((dim) => message([[typeof dim === 'number' ? 1 : 2, dim]]));
  const tensorType = message([
    [1, types[type]],
    [2, message(each(1, shape))],
  ]);
  return message([
    [1, name],
    [2, message([[1, tensorType]])],
  ]);
}

/** An input or output of floats; a dimension is a number, or a name where it varies. */
export const float = (name, dims) => value(name, 'float', dims);
/** The same of whole numbers. */
export const int64 = (name, dims) => value(name, 'int64', dims);

/** A model of one graph. */
export function graph({ name, nodes, constants, inputs, outputs }) {
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
