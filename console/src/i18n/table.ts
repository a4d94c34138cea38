/** Words about importing tables. */
export const en = {
  columns: 'Columns',
  fields: { id: 'Id', src_path: 'File', src: 'Web address' },
  fieldOf: (name: string) => `Field of ${name}`,
  leaveOut: 'Leave out',
  separatorOf: (name: string) => `Separator of ${name}`,
  separatedBy: (sign: string) => `Separated by ${sign}`,
  first: 'The first rows',
  row: 'Row',
  /** The place of a record in its file, as reported by the reader. */
  place: (place: string) => place,
  /** How a file is read, as reported by the reader. */
  note: (note: string) => note,
  /** Why a row is not a record, as reported by the reader. */
  fault: (fault: string) => fault,
  rows: (count: number, text: string) => (count === 1 ? '1 row' : `${text} rows`),
  claims: (count: number, text: string) =>
    count === 1 ? '1 file on this page belongs to it' : `${text} files on this page belong to it`,
  leftOut: (names: string) => `Left out: ${names}`,
  noId: 'Choose the column with the ids or the file names.',
  noLanguage: 'Choose the language of the texts to store the rows.',
  noTexts: 'No texts',
  chooseLanguage: 'Choose: it could not be detected',
  eachLanguage: 'Language of each row',
  check: 'Check all rows without storing',
  checking: 'Checking the rows',
  checked: (good: string, total: string) => `${good} of ${total} checked rows can be stored.`,
  store: (count: number, text: string) => (count === 1 ? 'Store 1 row' : `Store ${text} rows`),
  storing: (done: string, total: string) => `${done} of ${total} rows`,
  stored: (good: string, total: string) => `${good} of ${total} rows are stored.`,
  retry: (count: number, text: string) => (count === 1 ? 'Try 1 row again' : `Try ${text} rows again`),
  faults: (count: number, text: string) => (count === 1 ? '1 row has errors' : `${text} rows have errors`),
  remove: 'Remove the table',
};

/** Notes of readers of files about how they read them. */
const notes: Readonly<Record<string, string>> = {
  'separated by semicolons': 'separada por puntos y comas',
  'separated by tabs': 'separada por tabuladores',
  'read as Latin-1': 'leída como Latin-1',
};

/** Faults that readers of files report for rows, matched by how they begin. */
const faults: readonly (readonly [RegExp, string])[] = [
  [/^not JSON: .*/s, 'no es JSON válido'],
  [/^not a record: it must be an object such as/, 'no es un registro: debe ser un objeto, como'],
  [/^(\d+) cells, but the header has (\d+)/, 'celdas: $1; el encabezado tiene $2'],
  [/^longer than (\d+) million characters/, 'tiene más de $1 millones de caracteres'],
  [
    /^a quote opens here and never closes: the rest was ignored/,
    'aquí se abren unas comillas que no se cierran: el resto no se ha leído',
  ],
];

export const es: typeof en = {
  columns: 'Columnas',
  fields: { id: 'Identificador', src_path: 'Archivo', src: 'URL' },
  fieldOf: (name) => `Campo de ${name}`,
  leaveOut: 'No importar',
  separatorOf: (name) => `Separador de ${name}`,
  separatedBy: (sign) => `Separado por ${sign}`,
  first: 'Las primeras filas',
  row: 'Fila',
  place: (place) =>
    place.replace(
      /^(row|line|record) /,
      (_, kind: string) => `${{ line: 'línea', record: 'registro' }[kind] ?? 'fila'} `,
    ),
  note: (note) => notes[note] ?? note,
  fault: (fault) => faults.reduce((text, [said, own]) => text.replace(said, own), fault),
  rows: (count, text) => (count === 1 ? '1 fila' : `${text} filas`),
  claims: (count, text) =>
    count === 1 ? '1 archivo de esta página le pertenece' : `${text} archivos de esta página le pertenecen`,
  leftOut: (names) => `No se importan: ${names}`,
  noId: 'Elija la columna que contiene los identificadores o los nombres de los archivos.',
  noLanguage: 'Elija el idioma de los textos para guardar las filas.',
  noTexts: 'Sin textos',
  chooseLanguage: 'Elija uno: no se ha podido detectar',
  eachLanguage: 'El idioma de cada fila',
  check: 'Comprobar todas las filas sin guardar',
  checking: 'Comprobando las filas',
  checked: (good, total) => `Se pueden guardar ${good} de ${total} filas comprobadas.`,
  store: (count, text) => (count === 1 ? 'Guardar 1 fila' : `Guardar ${text} filas`),
  storing: (done, total) => `${done} de ${total} filas`,
  stored: (good, total) => `Se han guardado ${good} de ${total} filas.`,
  retry: (count, text) => (count === 1 ? 'Reintentar 1 fila' : `Reintentar ${text} filas`),
  faults: (count, text) => (count === 1 ? '1 fila tiene errores' : `${text} filas tienen errores`),
  remove: 'Quitar la tabla',
};
