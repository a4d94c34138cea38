/** Reads all bytes of a source. @throws what `tooMany` returns as soon as there are more than `most` */
export async function readUpTo(
  source: AsyncIterable<Uint8Array>,
  most: number,
  tooMany: () => Error,
): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of source) {
    size += part.length;
    if (size > most) throw tooMany();
    parts.push(part);
  }
  return Buffer.concat(parts, size);
}
