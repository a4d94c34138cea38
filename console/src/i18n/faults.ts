import type { ElementErrorCode, ErrorCode } from '../../../src/lib/errors.ts';
import type { FormulaErrorCode } from '../../../src/search/formula/errors.ts';

type FormulaFault = Readonly<{ problem: string; hint: string }>;
/** The part of the formula that is wrong, and what could be written there. */
type Written = Readonly<{ part: string; expected: readonly string[] }>;

/** Texts for errors by their code; the service's own texts are in English. */
export const en = {
  requests: {} as Partial<Record<ErrorCode | 'unreachable' | 'internal', string>>,
  /** Texts for messages of the service, where its code does not say what is wrong. */
  messages: {} as Readonly<Record<string, string>>,
  elements: {} as Partial<Record<ElementErrorCode, string>>,
  analysis: {} as Readonly<Record<string, string>>,
  formulas: {} as Partial<Record<FormulaErrorCode, (written: Written) => FormulaFault>>,
  /** For refusals that have no text here. */
  refused: (message: string) => message,
};

const fault =
  (problem: string, hint: string) =>
  ({ part }: Written): FormulaFault => ({ problem: problem.replace('#', () => part), hint });

/** For names that do not exist; proposes the most similar ones. */
const unknown =
  (problem: string, hint: string) =>
  ({ part, expected }: Written): FormulaFault => ({
    problem: problem.replace('#', () => part),
    hint: expected.length === 0 ? hint : `¿Quería decir ${expected.slice(0, 3).join(' o ')}?`,
  });

export const es: typeof en = {
  requests: {
    unreachable: 'El servicio no responde.',
    internal: 'Se ha producido un error interno del servicio.',
    unauthenticated: 'La sesión ha terminado. Vuelva a iniciar sesión.',
    invalid_key: 'La clave no es válida.',
    forbidden: 'Su rol no permite hacer esto.',
    not_found: 'No existe lo que se ha pedido, o se ha eliminado.',
    idempotency_key_in_use: 'El servicio aún está procesando esta petición.',
    precondition_failed: 'Otra persona ha hecho cambios entretanto. Vuelva a cargar y repita la acción.',
    sort_requires_similarity: 'Solo se puede ordenar por similitud si la fórmula busca por similitud.',
    page_too_deep: 'Hay demasiados resultados para llegar tan lejos. Acote la búsqueda.',
    too_large: 'El archivo o el texto es demasiado grande.',
    unsupported_media: 'Este tipo de archivo no se admite.',
    invalid_image: 'No se puede leer la imagen: no es válida o está dañada.',
    provider_failed: 'El modelo externo ha fallado. Vuelva a intentarlo más tarde.',
    rate_limited: 'Se han hecho demasiadas peticiones. Espere un momento y vuelva a intentarlo.',
    quota_exceeded: 'Se ha alcanzado el límite de este inquilino.',
    upload_conflict: 'La subida no coincide con lo que ya se había recibido. Vuelva a elegir el archivo.',
    document_too_complex: 'La petición es demasiado compleja.',
    reply_too_large: 'La respuesta sería demasiado grande. Pida menos registros.',
    not_implemented: 'Este servicio no ofrece esta función.',
    unavailable: 'El servicio no está disponible en este momento.',
    timeout: 'La petición ha tardado demasiado. Vuelva a intentarlo.',
  },
  messages: {
    'The file is empty': 'El archivo está vacío.',
    'The file name must not contain control characters':
      'El nombre del archivo no puede contener caracteres de control.',
    'The file name must have at most 255 characters': 'El nombre del archivo puede tener como máximo 255 caracteres.',
  },
  elements: {
    already_exists: 'Ya existe un registro con este identificador.',
    not_found: 'No existe ningún registro con este identificador.',
    invalid_field: 'El valor de un campo no es válido.',
    source_conflict: 'Indique solo un origen: una URL o una ruta.',
    source_missing: 'Falta el origen: una URL o una ruta.',
    source_unreachable: 'No se puede leer el origen.',
    source_forbidden: 'Este origen no está permitido.',
    unsupported_media: 'Este tipo de archivo no se admite.',
    too_large: 'El archivo es demasiado grande.',
    decode_failed: 'No se puede leer el archivo: está vacío o dañado.',
    duplicate_in_batch: 'El mismo identificador aparece dos veces en la operación.',
    duplicate_image: 'La imagen ya está en el catálogo.',
    precondition_failed: 'El registro ha cambiado entretanto.',
    conflict: 'El registro se ha modificado después.',
    aborted: 'La operación se canceló antes de llegar a este elemento.',
    strict_rollback: 'No se ha guardado, porque otro elemento de la operación tiene un error.',
    internal: 'Se ha producido un error interno del servicio.',
  },
  analysis: {
    nothing_recognized:
      'Los modelos integrados no han reconocido nada, por eso no hay texto descriptivo. Para tenerlo, configure un modelo en AI_CAPTION_PROVIDER.',
    ocr_language_unavailable:
      'La imagen contiene texto en un idioma que los datos instalados no permiten leer. Añada datos de Tesseract en TESSDATA_DIR.',
    fallback_used: 'El modelo configurado ha fallado y se ha usado el análisis integrado.',
    caption_refused: 'Los textos generados no se han conservado, porque no cumplen las reglas.',
    unknown_field: 'Hay campos desconocidos que no se han guardado.',
    timeout: 'El análisis ha tardado demasiado.',
    failed: 'El análisis ha fallado.',
    crashed: 'El análisis se ha interrumpido.',
    out_of_memory: 'El análisis se ha quedado sin memoria.',
    not_available: 'Este análisis no está disponible.',
    budget_spent: 'Se ha agotado el presupuesto de hoy para modelos.',
  },
  formulas: {
    unexpected_char: fault('«#» no puede estar aquí.', 'Quítelo o escriba el texto entre comillas.'),
    unexpected_operator: fault('El operador «#» no puede estar aquí.', 'Escriba un término antes y después de él.'),
    expected_term: fault('Falta un término.', 'Escriba una palabra o un campo con su valor.'),
    expected_value: fault('Falta un valor.', 'Escriba el valor después de los dos puntos.'),
    expected_reference: fault(
      'Falta la referencia.',
      'Escriba el identificador de una imagen o un texto entre comillas.',
    ),
    unknown_field: unknown('No existe el campo «#».', 'Para buscar el texto tal cual, escríbalo entre comillas.'),
    unknown_flag: unknown('No existe la característica «#».', 'Elija una de las que existen.'),
    bad_number: fault('«#» no es un número.', 'Escriba un número, como 800 o 1.5.'),
    bad_boolean: fault('«#» no es una respuesta.', 'Escriba true (sí), false (no) o null (desconocido).'),
    bad_date: fault('«#» no es una fecha.', 'Escriba 2024, 2024-05, 2024-05-31 o -30d.'),
    bad_ratio: fault('«#» no es una relación de aspecto.', 'Escriba 16:9, 16x9 o 1.78.'),
    bad_duration: fault('«#» no es una duración.', 'Escriba 90, 90s o 1h30m.'),
    bad_enum: unknown('«#» no es uno de los valores del campo.', 'Elija uno de los que existen.'),
    bad_color: fault('«#» no es un color.', 'Escriba un nombre, como azul, o #1e90ff; con @30, el porcentaje mínimo.'),
    not_ordered: fault(
      'Los valores de este campo no tienen orden.',
      'Compárelo con dos puntos, como en country:Japan.',
    ),
    unsupported_wildcard: fault(
      'El asterisco no puede estar aquí.',
      'Póngalo al final de una palabra, como en puent*.',
    ),
    negated_value: fault('Un valor no se puede negar por sí solo.', 'Ponga el signo menos delante del campo.'),
    reserved_word: fault('«#» es una palabra reservada.', 'Escríbala entre comillas para buscarla.'),
    dangling_comma: fault('Falta un valor junto a la coma.', 'Quite la coma o añada el valor, sin espacio.'),
    dangling_escape: fault('Sobra una barra inversa al final.', 'Añada un carácter detrás o quítela.'),
    bar_in_value: fault('Hay una barra entre un valor y una palabra.', 'Separe los valores con comas.'),
    comparator_in_set: fault(
      'No se puede comparar dentro de una lista.',
      'Escriba un intervalo, como width:800..1200.',
    ),
    star_in_set: fault(
      'El asterisco no puede ser un valor de la lista.',
      'Para cualquier valor, escriba has: y el campo.',
    ),
    empty_range: fault('El intervalo está vacío.', 'Escriba primero el límite inferior, como en 800..1200.'),
    empty_group: fault('El grupo está vacío.', 'Escriba un término entre los paréntesis.'),
    unclosed_quote: fault('Faltan las comillas de cierre.', 'Añada " al final del texto.'),
    unclosed_paren: fault('Falta cerrar un paréntesis.', 'Añada ) al final del grupo.'),
    unbalanced_paren: fault('Este paréntesis no cierra nada.', 'Quítelo o añada ( delante.'),
    double_negation: fault('Hay dos negaciones seguidas.', 'Niegue una sola vez o ninguna.'),
    too_deep: fault('Hay demasiados grupos unos dentro de otros.', 'Quite los paréntesis que no hagan falta.'),
    too_complex: fault('La fórmula es demasiado compleja.', 'Acórtela o divídala.'),
    bad_similarity_operator: fault('No existe el operador de similitud «#».', 'Escriba de i~ a i~~~ o de i= a i===.'),
    bad_similarity_option: fault(
      'La opción de similitud «#» no es válida.',
      'Escriba una similitud de 0 a 1, como @0.7.',
    ),
    comma_after_reference: fault('Sobra una coma tras la referencia.', 'Ponga varias referencias entre paréntesis.'),
    one_reference_only: fault('Aquí solo cabe una referencia.', 'Una las búsquedas con OR.'),
    no_positive_reference: fault(
      'Todas las referencias son negativas.',
      'Añada una imagen o un texto sin signo menos.',
    ),
    image_reference_required: fault(
      'Aquí hace falta una imagen, no un texto.',
      'Escriba el identificador de una imagen.',
    ),
    unknown_reference: fault(
      'No se encuentra la referencia «#».',
      'Compruebe el identificador o vuelva a elegir la imagen.',
    ),
    not_watchable: fault('Esta fórmula no se puede vigilar.', 'Quite las partes con similitud o fechas relativas.'),
  },
  refused: (message) => `El servicio ha rechazado la petición: ${message}`,
};
