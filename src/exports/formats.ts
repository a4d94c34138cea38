/** The formats of exports, with their file extensions and media types. */
export const exportFormats = {
  csv: { ending: 'csv', mediaType: 'text/csv; charset=utf-8' },
  ndjson: { ending: 'ndjson', mediaType: 'application/x-ndjson' },
  /** NDJSON with the analysis of each record, so that an import need not analyze the pictures again. */
  analyzed: { ending: 'ndjson', mediaType: 'application/x-ndjson' },
  zip: { ending: 'zip', mediaType: 'application/zip' },
} as const;

export type ExportFormat = keyof typeof exportFormats;

export const exportFormatNames = Object.keys(exportFormats) as readonly ExportFormat[];
