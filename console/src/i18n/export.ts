/** Words about exports. */
export const en = {
  open: 'Export …',
  title: (count: number, text: string) => (count === 1 ? 'Export 1 record' : `Export ${text} records`),
  titleUncounted: 'Export all results',
  format: 'Format',
  formats: {
    csv: 'CSV, for spreadsheets',
    ndjson: 'NDJSON, a record in each line',
    zip: 'ZIP of the files, with their metadata in them',
  },
  fields: 'Fields',
  usual: 'All importable fields',
  chosen: 'Chosen fields',
  start: 'Export',
  running: 'Exporting. You can keep working; the file also appears under Operations.',
  done: (count: number, text: string) => (count === 1 ? '1 record was exported.' : `${text} records were exported.`),
  download: (name: string, size: string) => `Download ${name} (${size})`,
  kept: 'The file is kept for a day.',
  none: 'There is no file: the export failed or was aborted.',
};

export const es: typeof en = {
  open: 'Exportar …',
  title: (count, text) => (count === 1 ? 'Exportar 1 registro' : `Exportar ${text} registros`),
  titleUncounted: 'Exportar todos los resultados',
  format: 'Formato',
  formats: {
    csv: 'CSV, para hojas de cálculo',
    ndjson: 'NDJSON, un registro en cada línea',
    zip: 'ZIP de los archivos, con sus metadatos dentro',
  },
  fields: 'Campos',
  usual: 'Todos los campos que se pueden importar',
  chosen: 'Campos elegidos',
  start: 'Exportar',
  running: 'Exportando. Puede seguir trabajando; el archivo aparece también en «Operaciones».',
  done: (count, text) => (count === 1 ? 'Se ha exportado 1 registro.' : `Se han exportado ${text} registros.`),
  download: (name, size) => `Descargar ${name} (${size})`,
  kept: 'El archivo se conserva durante un día.',
  none: 'No hay archivo: la exportación ha fallado o se ha cancelado.',
};
