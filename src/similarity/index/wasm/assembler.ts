/**
 * A minimal WebAssembly assembler: enough for loops over bytes. Instructions are written by
 * their names in the text format; each is a row of the table below (WebAssembly 2.0 with SIMD,
 * https://webassembly.github.io/spec/core/binary/instructions.html).
 */

export type Operand = number;
/** One instruction and its operands: a local, a depth, an offset, a constant. */
export type Instruction = readonly [name: keyof typeof opcodes, ...operands: Operand[]];
export type ValueType = 'i32' | 'i64' | 'v128';

export type FunctionSource = Readonly<{
  name: string;
  /** All parameters are i32: addresses and counts. There is no result. */
  parameters: readonly string[];
  locals: Readonly<Record<string, ValueType>>;
  /** The body; `local` returns the index of a parameter or local by its name. */
  body: (local: (name: string) => number) => readonly Instruction[];
}>;

/** What follows an opcode: nothing, one number, a memory operand (alignment and offset), or a lane. */
type Shape = 'plain' | 'index' | 'constant' | 'memory' | 'lane' | 'block';
type Opcode = Readonly<{ bytes: readonly number[]; shape: Shape; align?: number }>;

const plain = (...bytes: number[]): Opcode => ({ bytes, shape: 'plain' });
const index = (...bytes: number[]): Opcode => ({ bytes, shape: 'index' });
const memory = (align: number, ...bytes: number[]): Opcode => ({ bytes, shape: 'memory', align });
/** Vector instructions have a prefix and a number in LEB128. */
const simd = (number: number): number[] => [0xfd, ...unsigned(number)];

const opcodes = {
  block: { bytes: [0x02], shape: 'block' },
  loop: { bytes: [0x03], shape: 'block' },
  end: plain(0x0b),
  br: index(0x0c),
  br_if: index(0x0d),
  select: plain(0x1b),
  'local.get': index(0x20),
  'local.set': index(0x21),
  'local.tee': index(0x22),
  'i32.load': memory(2, 0x28),
  'i64.load': memory(3, 0x29),
  'i32.store': memory(2, 0x36),
  'i32.store16': memory(1, 0x3b),
  'i32.const': { bytes: [0x41], shape: 'constant' },
  'i32.eqz': plain(0x45),
  'i32.lt_u': plain(0x49),
  'i32.ge_u': plain(0x4f),
  'i32.add': plain(0x6a),
  'i32.sub': plain(0x6b),
  'i64.popcnt': plain(0x7b),
  'i64.xor': plain(0x85),
  'i32.wrap_i64': plain(0xa7),
  'v128.load': memory(4, ...simd(0x00)),
  'i8x16.splat': plain(...simd(0x0f)),
  'i32x4.extract_lane': { bytes: simd(0x1b), shape: 'lane' },
  'v128.xor': plain(...simd(0x51)),
  'i8x16.popcnt': plain(...simd(0x62)),
  'i8x16.add': plain(...simd(0x6e)),
  'i16x8.extadd_pairwise_i8x16_u': plain(...simd(0x7d)),
  'i32x4.extadd_pairwise_i16x8_u': plain(...simd(0x7f)),
  'i16x8.extend_low_i8x16_s': plain(...simd(0x87)),
  'i16x8.extend_high_i8x16_s': plain(...simd(0x88)),
  'i32x4.add': plain(...simd(0xae)),
  'i32x4.dot_i16x8_s': plain(...simd(0xba)),
} as const satisfies Record<string, Opcode>;

const valueTypes: Readonly<Record<ValueType, number>> = { i32: 0x7f, i64: 0x7e, v128: 0x7b };
const emptyBlock = 0x40;

/** Assembles functions that work on one imported, shared memory (`env.memory`). */
export function assemble(functions: readonly FunctionSource[], maxPages: number): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters }) => [0x60, ...vector(parameters.map(() => [valueTypes.i32])), 0]);
  const shared = 0x03;
  const imported = [...text('env'), ...text('memory'), 0x02, shared, ...unsigned(1), ...unsigned(maxPages)];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, vector(types)),
    ...section(2, vector([imported])),
    ...section(3, vector(functions.map((_, k) => unsigned(k)))),
    ...section(7, vector(functions.map(({ name }, k) => [...text(name), 0x00, ...unsigned(k)]))),
    ...section(10, vector(functions.map(codeOf))),
  ]);
}

function codeOf({ parameters, locals, body }: FunctionSource): number[] {
  const names = [...parameters, ...Object.keys(locals)];
  const local = (name: string) => {
    const number = names.indexOf(name);
    if (number < 0) throw new Error(`no such local: ${name}`);
    return number;
  };
  const declared = vector(Object.values(locals).map((type) => [1, valueTypes[type]]));
  const code = [...declared, ...body(local).flatMap(encode), ...opcodes.end.bytes];
  return [...unsigned(code.length), ...code];
}

function encode([name, operand = 0]: Instruction): number[] {
  const { bytes, shape, align = 0 }: Opcode = opcodes[name];
  switch (shape) {
    case 'plain':
      return [...bytes];
    case 'block':
      return [...bytes, emptyBlock];
    case 'index':
      return [...bytes, ...unsigned(operand)];
    case 'lane':
      return [...bytes, operand];
    case 'constant':
      return [...bytes, ...signed(operand)];
    case 'memory':
      return [...bytes, align, ...unsigned(operand)];
    default:
      return shape satisfies never;
  }
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function vector(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function text(name: string): number[] {
  const bytes = [...new TextEncoder().encode(name)];
  return [...unsigned(bytes.length), ...bytes];
}

/** LEB128 of a non-negative number. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** LEB128 of a signed 32-bit number. */
function signed(value: number): number[] {
  const rest = value >> 7;
  const isLast = (rest === 0 && (value & 0x40) === 0) || (rest === -1 && (value & 0x40) !== 0);
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(rest)];
}
