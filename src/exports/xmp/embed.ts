import type { RecordRow } from '../../catalog/index.ts';
import type { Container } from './container.ts';
import { jpeg } from './jpeg.ts';
import { toPacket } from './packet.ts';
import { png } from './png.ts';
import { propertiesOf } from './properties.ts';
import { tiff } from './tiff.ts';
import { webp } from './webp.ts';

const containers: readonly Container[] = [jpeg, png, webp, tiff];

/** A file with the metadata of its record, or with a separate packet for a sidecar. */
export type Embedded = Readonly<{ parts: readonly Buffer[]; sidecar: Buffer | null }>;

/** Writes the metadata of a record into its file, or into a sidecar if the file cannot contain it. */
export function embedMetadata(bytes: Buffer, record: RecordRow): Embedded {
  const properties = propertiesOf(record);
  if (properties.length === 0) return { parts: [bytes], sidecar: null };
  const container = containers.find(({ isOf }) => isOf(bytes));
  const packet = toPacket(properties, container?.read(bytes) ?? null);
  const parts = container?.write(bytes, packet) ?? null;
  return parts === null ? { parts: [bytes], sidecar: packet } : { parts, sidecar: null };
}

/** The metadata of a record as a sidecar; null if it has none. */
export function sidecarOf(record: RecordRow): Buffer | null {
  const properties = propertiesOf(record);
  return properties.length === 0 ? null : toPacket(properties, null);
}
