import type { ExportFormat } from './formats.ts';
import { openTextSink } from './text-sink.ts';
import type { ExportSink } from './text-sink.ts';
import { openZipSink, zipFields } from './zip-sink.ts';
import type { ZipDeps } from './zip-sink.ts';
import { embeddedFields } from './xmp/properties.ts';

/** Returns a sink that writes records into the file of an export. */
export function openSink(format: ExportFormat, deps: ZipDeps): ExportSink {
  return format === 'zip' ? openZipSink(deps) : openTextSink(format, deps.columns, deps.writer);
}

/** The properties of a record that its sink needs. */
export function propertiesFor(
  format: ExportFormat,
  { resource, columns }: Pick<ZipDeps, 'resource' | 'columns'>,
): readonly string[] {
  const own = columns.map(({ property }) => property);
  return format === 'zip' ? [...new Set([...own, ...zipFields[resource], ...embeddedFields])] : own;
}
