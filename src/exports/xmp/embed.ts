import type { RecordRow } from '../../catalog/index.ts';
import { checkPacket, LargeMetadataError } from './container.ts';
import type { Container } from './container.ts';
import { jpeg } from './jpeg.ts';
import { toPacket } from './packet.ts';
import { png } from './png.ts';
import { propertiesOf } from './properties.ts';
import type { Property } from './properties.ts';
import { tiff } from './tiff.ts';
import { webp } from './webp.ts';

const containers: readonly Container[] = [jpeg, png, webp, tiff];

/** A file with the metadata of its record inside, or in a sidecar. */
export type Embedded = Readonly<{ parts: readonly Buffer[]; sidecar: Buffer | null }>;

/**
 * Writes the metadata of a record into its file, or into a sidecar if the file cannot contain it, or already has so
 * much metadata that changing it would block the process.
 */
export function embedMetadata(bytes: Buffer, record: RecordRow): Embedded {
  const properties = propertiesOf(record);
  if (properties.length === 0) return { parts: [bytes], sidecar: null };
  const container = containers.find(({ isOf }) => isOf(bytes));
  const parts = container === undefined ? null : changed(container, bytes, properties);
  return parts === null ? { parts: [bytes], sidecar: toPacket(properties, null) } : { parts, sidecar: null };
}

/** The pieces of the changed file; null if it cannot be changed. */
function changed(container: Container, bytes: Buffer, properties: readonly Property[]): readonly Buffer[] | null {
  try {
    const former = container.read(bytes);
    const packet = toPacket(properties, former === null ? null : checkPacket(former).toString('utf8'));
    return container.write(bytes, packet);
  } catch (error) {
    if (error instanceof LargeMetadataError) return null;
    throw error;
  }
}

/** The metadata of a record as a sidecar; null if it has none. */
export function sidecarOf(record: RecordRow): Buffer | null {
  const properties = propertiesOf(record);
  return properties.length === 0 ? null : toPacket(properties, null);
}
