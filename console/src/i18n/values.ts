import { colorInSpanish } from '../../../src/catalog/colors.ts';
import type { AuditAction } from '../../../src/tenants/audit-actions.ts';
import type { Role } from '../../../src/tenants/roles.ts';
import type { ImageTileFragment } from '../api/documents.ts';
import { es as admin } from './admin.ts';
import { es as system } from './system.ts';

type Match = NonNullable<ImageTileFragment['match']>;
type Names = Readonly<Record<string, string>>;

/**
 * Translations of the names that the service gives in English, keyed by those; names not listed are shown unchanged.
 */
export const en = {
  color: (name: string) => name,
  /** Texts of the formula editor for screen readers. */
  editor: {} as Names,
  /** Headings of fields with several values, where they differ from the label of a single value. */
  lists: {} as Names,
  /** Values of fields with a closed list. */
  fields: {} as Readonly<Record<string, Names>>,
  sources: { file: 'metadata of the file', builtin: 'built-in analysis' } as Names,
  analyzers: {} as Names,
  roles: {} as Names,
  tiers: {} as Partial<Record<Match['tier'], string>>,
  measures: {} as Partial<Record<Match['by'], string>>,
  audit: {} as Partial<Record<AuditAction, string>>,
  /** Codes that are subjects of the audit trail. */
  audited: {} as Names,
  /** Subjects of the audit trail that are sentences: how the service writes them, and how they are shown. */
  auditedSentences: {} as Partial<Record<AuditAction, readonly (readonly [RegExp, string])[]>>,
};

const kindsInSpanish = {
  create: 'añadir',
  replace: 'sustituir',
  upsert: 'añadir o sustituir',
  update: 'cambiar',
  delete: 'eliminar',
  analyze: 'analizar',
  reanalyze: 'analizar de nuevo',
  undo: 'deshacer cambios en',
  restore: 'restaurar',
  purge: 'eliminar definitivamente',
  merge: 'fusionar',
  find_duplicates: 'buscar duplicados entre',
  export: 'exportar',
};

export const es: typeof en = {
  color: colorInSpanish,
  editor: { Completions: 'Sugerencias', Diagnostics: 'Errores', 'Selection deleted': 'Selección eliminada' },
  lists: {
    keywords: 'palabras clave',
    categories: 'categorías',
    collections: 'colecciones',
    locked_fields: 'campos bloqueados',
    refused_keywords: 'palabras clave rechazadas',
    locked: 'campos bloqueados',
  },
  fields: {
    orientation: { landscape: 'horizontal', portrait: 'vertical', square: 'cuadrada', panorama: 'panorámica' },
    ai_status: { pending: 'pendiente', ready: 'listo', failed: 'con errores', stale: 'desactualizado' },
  },
  sources: { file: 'metadatos del archivo', analyzer: 'análisis', builtin: 'análisis integrado' },
  analyzers: {
    caption: 'texto descriptivo',
    concepts: 'conceptos',
    faces: 'rostros',
    objects: 'objetos',
    ocr: 'lectura del texto',
    colors: 'colores',
    embedded: 'metadatos',
    embedding: 'vector de similitud',
    pdq: 'huella',
    localFeatures: 'huella local',
    nsfw: 'contenido sensible',
  },
  roles: { viewer: 'lector', tagger: 'etiquetador', editor: 'editor', admin: 'administrador' } satisfies Record<
    Role,
    string
  >,
  tiers: {
    near: 'casi idéntica',
    same: 'la misma imagen',
    edited: 'copia editada',
    scene: 'la misma escena',
    subject: 'el mismo motivo',
    theme: 'el mismo tema',
  },
  measures: {
    checksum: 'por el archivo',
    embedding: 'por el vector de un modelo',
    geometry: 'por la geometría',
    hash: 'por la huella',
    pixels: 'por los píxeles',
    verdict: 'por un veredicto',
    words: 'por las palabras',
  },
  audit: {
    'key.created': 'clave creada',
    'key.revoked': 'clave revocada',
    'key.rotated': 'clave sustituida',
    'tenant.created': 'inquilino creado',
    'tenant.changed': 'inquilino modificado',
    'operation.accepted': 'operación aceptada',
    'operation.aborted': 'operación cancelada',
    'operation.undone': 'operación deshecha',
    'record.restored': 'registro restaurado',
    'record.purged': 'registros eliminados definitivamente',
    'record.exported': 'registros exportados',
    'verdict.given': 'veredicto dado',
    'verdict.withdrawn': 'veredicto retirado',
    'backup.begun': 'copia de seguridad iniciada',
    'backup.completed': 'copia de seguridad terminada',
    'search.reindexed': 'índices reconstruidos',
    'collection.created': 'colección creada',
    'collection.renamed': 'colección con nombre nuevo',
    'collection.deleted': 'colección eliminada',
    'collection.changed': 'colección modificada',
    'webhook.added': 'webhook añadido',
    'webhook.changed': 'webhook modificado',
    'webhook.removed': 'webhook eliminado',
    'webhook.rotated': 'webhook con secreto nuevo',
    'webhook.replayed': 'mensajes de webhook reenviados',
    'webhook.switched_off': 'webhook desactivado por el servicio',
    'access.forbidden': 'permiso denegado',
    'access.rate_limited': 'límite de peticiones superado',
    'access.invalid_key': 'clave no válida',
  },
  audited: {
    ...Object.fromEntries(
      Object.entries(kindsInSpanish).flatMap(([kind, act]) => [
        [`images.${kind}`, `${act} imágenes`],
        [`videos.${kind}`, `${act} vídeos`],
      ]),
    ),
    ...admin.acts,
    ...system.rateNames,
    expired: 'caducada',
    revoked: 'revocada',
    same: 'igual',
    variant: 'variante',
    different: 'distinta',
  },
  auditedSentences: {
    'key.created': [[/^key /, 'clave ']],
    'key.revoked': [[/^key /, 'clave ']],
    'key.rotated': [[/^key /, 'clave ']],
    'record.restored': [
      [/^image '(.*)' (\S+)$/s, 'imagen «$1» al estado de $2'],
      [/^video '(.*)' (\S+)$/s, 'vídeo «$1» al estado de $2'],
    ],
    'record.purged': [
      [/^(\d+) images?: /, 'imágenes ($1): '],
      [/^(\d+) videos?: /, 'vídeos ($1): '],
    ],
    'record.exported': [
      [/^(\w+) of (\d+) images by id$/, '$1 de imágenes por su identificador ($2)'],
      [/^(\w+) of (\d+) videos by id$/, '$1 de vídeos por su identificador ($2)'],
      [/^(\w+) of images by formula /, '$1 de las imágenes que encuentra '],
      [/^(\w+) of videos by formula /, '$1 de los vídeos que encuentra '],
    ],
    'collection.changed': [
      [/: (\d+) images added$/, ': imágenes añadidas: $1'],
      [/: (\d+) images moved$/, ': imágenes movidas: $1'],
      [/: (\d+) images removed$/, ': imágenes quitadas: $1'],
      [/: (\d+) videos added$/, ': vídeos añadidos: $1'],
      [/: (\d+) videos moved$/, ': vídeos movidos: $1'],
      [/: (\d+) videos removed$/, ': vídeos quitados: $1'],
    ],
    'webhook.replayed': [[/: (\d+) messages$/, ': mensajes: $1']],
    'search.reindexed': [
      [/\bimage\b/, 'imágenes'],
      [/\bvideo\b/, 'vídeos'],
    ],
    'backup.begun': [
      [/\bdatabase\b/, 'base de datos'],
      [/\bdata\b/, 'datos'],
      [/\buploads\b/, 'archivos subidos'],
      [/\bmedia\b/, 'carpetas de medios'],
    ],
  },
};
