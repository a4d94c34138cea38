/** Words about copies among imported files. */
export const en = {
  rule: 'Pictures already in the catalog',
  rules: {
    rule: 'Use the default of this catalog',
    keep: 'Store them too',
    flag: 'Store them and let me decide',
    reject: 'Skip and report them',
  },
  title: (count: number, text: string) =>
    count === 1 ? '1 new picture is already in the catalog' : `${text} new pictures are already in the catalog`,
  known: 'In the catalog',
  fresh: 'New',
  actions: { keep: 'Keep both', leaveOut: 'Discard the new one', replace: 'Replace the one in the catalog' },
  done: { keep: '', leaveOut: 'The new picture was discarded.', replace: 'The picture in the catalog was replaced.' },
  later: 'Later',
  hint: 'The replacement takes over the fields that it lacks.',
};

export const es: typeof en = {
  rule: 'Imágenes que ya están en el catálogo',
  rules: {
    rule: 'Aplicar la regla del catálogo',
    keep: 'Guardarlas también',
    flag: 'Guardarlas y decidir después',
    reject: 'Omitirlas e indicarlo',
  },
  title: (count, text) =>
    count === 1 ? '1 imagen nueva ya está en el catálogo' : `${text} imágenes nuevas ya están en el catálogo`,
  known: 'En el catálogo',
  fresh: 'Nueva',
  actions: { keep: 'Conservar ambas', leaveOut: 'Descartar la nueva', replace: 'Sustituir la del catálogo' },
  done: { keep: '', leaveOut: 'Se descartó la imagen nueva.', replace: 'Se sustituyó la imagen del catálogo.' },
  later: 'Más tarde',
  hint: 'La imagen que sustituye a otra toma de ella los campos que le faltan.',
};
