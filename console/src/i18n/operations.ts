import type { OperationMethod, OperationResource } from '../api/documents.ts';

type What = Readonly<{ kind: string; method: OperationMethod; resource: OperationResource; numTotal: number }>;
/** What operations do, by the end of their kind, where their method does not tell. */
type Words = Readonly<Record<string, string>>;
const actOf = (kind: string) => kind.slice(kind.indexOf('.') + 1);

/** Words about operations. */
export const en = {
  title: 'Operations',
  one: (id: string) => `Operation ${id}`,
  none: 'No operations yet',
  noneHint: 'Imports, changes, deletions and their analysis are listed here.',
  gone: 'This operation does not exist or is too old.',
  what: ({ kind, method, resource, numTotal }: What, text: string) => {
    const many = { image: ['picture', 'pictures'], video: ['video', 'videos'], celebs: ['face', 'faces'] } as const;
    const what = `${text} ${many[resource][numTotal === 1 ? 0 : 1]}`;
    const done = { add: 'Add', upd: 'Change', del: 'Delete', multiple: 'Export' } as const;
    const special: Words = {
      analyze: 'Analyze',
      reanalyze: 'Analyze',
      undo: 'Undo changes to',
      restore: 'Restore',
      merge: 'Merge',
      purge: 'Purge',
      find_duplicates: 'Find duplicates among',
    };
    return `${special[actOf(kind)] ?? done[method]} ${what}`;
  },
  dryRun: 'dry run',
  dryRunHint: 'a dry run: nothing was stored',
  states: {
    queued: 'Waiting',
    storing: 'Storing',
    exporting: 'Exporting',
    analyzing: 'Stored, being analyzed',
    finished: 'Finished',
    existing: 'Nothing stored: all existed already',
    failed: 'Failed',
    aborted: 'Aborted',
  },
  stages: { store: 'Stored', analyze: 'Analyzed' },
  ofTotal: (done: string, total: string) => `${done} of ${total}`,
  failed: (_count: number, text: string) => `${text} failed`,
  existed: (_count: number, text: string) => `${text} existed already`,
  pace: (perSecond: string, left: string) => `${perSecond} a second, about ${left} left`,
  reconnecting: 'The service is not responding. Trying again…',
  abort: 'Abort',
  undo: 'Undo …',
  undoNow: 'Undo now',
  leave: 'Cancel',
  wouldUndo: (count: number, text: string) =>
    count === 1
      ? '1 record will be restored to its earlier state.'
      : `${text} records will be restored to their earlier state.`,
  nothingToUndo: 'Nothing to undo: everything is already as it was before.',
  conflicts: (count: number, text: string) =>
    `${text} ${count === 1 ? 'record was' : 'records were'} changed later. Later changes are kept:`,
  failures: 'Failures',
  moreFailures: (text: string) => `and ${text} more`,
  forExample: (text: string) => `for example: ${text}`,
  showThem: 'Show them',
  showSome: (text: string) => `Show ${text} of them`,
  existingTitle: 'Existed already',
  changes: 'Changes',
  allChanges: 'All',
  kinds: { created: 'Created', changed: 'Changed', deleted: 'Deleted', unchanged: 'Unchanged' },
};

export const es: typeof en = {
  title: 'Operaciones',
  one: (id) => `Operación ${id}`,
  none: 'Todavía no hay operaciones',
  noneHint: 'Aquí aparecen las importaciones, los cambios, las eliminaciones y su análisis.',
  gone: 'Esta operación no existe o es demasiado antigua.',
  what: ({ kind, method, resource, numTotal }, text) => {
    const many = { image: ['imagen', 'imágenes'], video: ['vídeo', 'vídeos'], celebs: ['rostro', 'rostros'] } as const;
    const what = `${text} ${many[resource][numTotal === 1 ? 0 : 1]}`;
    const done = { add: 'Añadir', upd: 'Cambiar', del: 'Eliminar', multiple: 'Exportar' } as const;
    const special: Words = {
      analyze: 'Analizar',
      reanalyze: 'Analizar',
      undo: 'Deshacer cambios en',
      restore: 'Restaurar',
      merge: 'Fusionar',
      purge: 'Eliminar definitivamente',
      find_duplicates: 'Buscar duplicados entre',
    };
    return `${special[actOf(kind)] ?? done[method]} ${what}`;
  },
  dryRun: 'simulación',
  dryRunHint: 'una simulación: no se ha guardado nada',
  states: {
    queued: 'En espera',
    storing: 'Guardando',
    exporting: 'Exportando',
    analyzing: 'Guardado; análisis en curso',
    finished: 'Terminada',
    existing: 'Nada guardado: todo existía ya',
    failed: 'Con errores',
    aborted: 'Cancelada',
  },
  stages: { store: 'Guardados', analyze: 'Analizados' },
  ofTotal: (done, total) => `${done} de ${total}`,
  failed: (count, text) => `${text} ${count === 1 ? 'error' : 'errores'}`,
  existed: (count, text) => `${text} ya ${count === 1 ? 'existía' : 'existían'}`,
  pace: (perSecond, left) => `${perSecond} por segundo, tiempo restante aproximado: ${left}`,
  reconnecting: 'El servicio no responde. Reintentando…',
  abort: 'Cancelar la operación',
  undo: 'Deshacer …',
  undoNow: 'Deshacer ahora',
  leave: 'Cancelar',
  wouldUndo: (count, text) =>
    count === 1 ? '1 registro volverá a su estado anterior.' : `${text} registros volverán a su estado anterior.`,
  nothingToUndo: 'No hay nada que deshacer: todo está ya como estaba antes.',
  conflicts: (count, text) =>
    `${count === 1 ? '1 registro se modificó' : `${text} registros se modificaron`} después. Los cambios posteriores se conservan:`,
  failures: 'Errores',
  moreFailures: (text) => `y ${text} más`,
  forExample: (text) => `por ejemplo: ${text}`,
  showThem: 'Mostrarlos',
  showSome: (text) => `Mostrar ${text} de ellos`,
  existingTitle: 'Ya existían',
  changes: 'Cambios',
  allChanges: 'Todos',
  kinds: { created: 'Creado', changed: 'Modificado', deleted: 'Eliminado', unchanged: 'Sin cambios' },
};
