/** The formats of exports: how their files end, and their media types. */
export const exportFormats = {
  csv: { ending: 'csv', mediaType: 'text/csv; charset=utf-8' },
  ndjson: { ending: 'ndjson', mediaType: 'application/x-ndjson' },
  /** NDJSON with the analysis of each record, so that an import reads no picture. */
  analyzed: { ending: 'ndjson', mediaType: 'application/x-ndjson' },
  zip: { ending: 'zip', mediaType: 'application/zip' },
} as const;

export type ExportFormat = keyof typeof exportFormats;

export const exportFormatNames = Object.keys(exportFormats) as readonly ExportFormat[];
