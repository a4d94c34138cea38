/** Words about copies among what is imported. */
export const en = {
  rule: 'Pictures that the catalog has already',
  rules: {
    rule: 'As the rule of the catalog says',
    keep: 'Store them, too',
    flag: 'Store them, and let me decide each pair',
    reject: 'Leave them out, and say so',
  },
  title: (count: number, text: string) =>
    count === 1 ? '1 new picture is in the catalog already' : `${text} new pictures are in the catalog already`,
  known: 'In the catalog',
  fresh: 'New',
  actions: { keep: 'Keep both', leaveOut: 'Leave out the new one', replace: 'Replace the one in the catalog' },
  done: { keep: '', leaveOut: 'The new picture was left out.', replace: 'The picture in the catalog was replaced.' },
  later: 'Later',
  hint: 'What replaces a picture takes over the fields that it lacks.',
};

export const es: typeof en = {
  rule: 'Imágenes que el catálogo ya tiene',
  rules: {
    rule: 'Según la regla del catálogo',
    keep: 'Guardarlas también',
    flag: 'Guardarlas y decidir cada par',
    reject: 'No guardarlas e indicarlo',
  },
  title: (count, text) =>
    count === 1 ? '1 imagen nueva ya está en el catálogo' : `${text} imágenes nuevas ya están en el catálogo`,
  known: 'En el catálogo',
  fresh: 'Nueva',
  actions: { keep: 'Conservar ambas', leaveOut: 'Descartar la nueva', replace: 'Sustituir la del catálogo' },
  done: { keep: '', leaveOut: 'Se descartó la imagen nueva.', replace: 'Se sustituyó la imagen del catálogo.' },
  later: 'Más tarde',
  hint: 'La que sustituye a otra toma los campos que le faltan.',
};
