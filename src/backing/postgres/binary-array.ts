/** Object ids (OIDs) of types; they never change. */
const oids = { bytea: 17, int8: 20, int2: 21, int4: 23, text: 25, json: 114, jsonb: 3802 } as const;

type Element = string | number | Uint8Array | null | undefined;

const header = 20;
/**
 * Encodes an array as a parameter in PostgreSQL's binary format, so that nothing has to be quoted here or parsed
 * there. An undefined value becomes null.
 */
export function binaryArray(type: keyof typeof oids, values: readonly Element[]): Buffer {
  const write = writers[type];
  const parts = values.map((value) => (value === null || value === undefined ? null : write(value)));
  const array = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + 4 + (part?.length ?? 0), header));
  array.writeInt32BE(values.length === 0 ? 0 : 1, 0); // Dimensions.
  array.writeInt32BE(1, 4); // There may be nulls.
  array.writeInt32BE(oids[type], 8);
  if (values.length === 0) return array.subarray(0, 12);
  array.writeInt32BE(values.length, 12);
  array.writeInt32BE(1, 16); // The first index.
  let at = header;
  for (const part of parts) {
    at = array.writeInt32BE(part?.length ?? -1, at);
    if (part === null) continue;
    array.set(part, at);
    at += part.length;
  }
  return array;
}

const bytesOf = (value: Element): Uint8Array =>
  typeof value === 'string' ? Buffer.from(value) : (value as Uint8Array);

/** The version of its format, which precedes the text of a `jsonb` value. */
const jsonbVersion = Buffer.from([1]);

const writers: Readonly<Record<keyof typeof oids, (value: Element) => Uint8Array>> = {
  bytea: bytesOf,
  text: bytesOf,
  json: bytesOf,
  jsonb: (value) => Buffer.concat([jsonbVersion, bytesOf(value)]),
  int2: (value) => {
    const bytes = Buffer.allocUnsafe(2);
    bytes.writeInt16BE(Number(value));
    return bytes;
  },
  int4: (value) => {
    const bytes = Buffer.allocUnsafe(4);
    bytes.writeInt32BE(Number(value));
    return bytes;
  },
  int8: (value) => {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeBigInt64BE(BigInt(value as number));
    return bytes;
  },
};
