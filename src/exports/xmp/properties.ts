import type { RecordRow } from '../../catalog/index.ts';

/** The namespaces of the written properties, by their usual prefixes. */
export const namespaces = {
  dc: 'http://purl.org/dc/elements/1.1/',
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
  Iptc4xmpCore: 'http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/',
  Iptc4xmpExt: 'http://iptc.org/std/Iptc4xmpExt/2008-02-29/',
} as const;

type Prefix = keyof typeof namespaces;

/** How a value is written: as text, as text per language, as an ordered list, or as an unordered list. */
type Form = 'text' | 'Alt' | 'Seq' | 'Bag';

type Row = Readonly<{
  property: `${Prefix}:${string}`;
  form: Form;
  /** The field with the value, by its TypeScript name. */
  field: string;
  /** Converts a value to text; without it, the value is written as it is. */
  toText?: (value: unknown) => string | null;
}>;

/** Source type of synthetic pictures in the IPTC vocabulary. */
const generated = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';

/** The fields that are written into files, by the names of the IPTC Photo Metadata Standard. */
const rows: readonly Row[] = [
  { property: 'dc:title', form: 'Alt', field: 'title' },
  { property: 'dc:description', form: 'Alt', field: 'caption' },
  { property: 'dc:description', form: 'Alt', field: 'description' },
  { property: 'dc:subject', form: 'Bag', field: 'keywords' },
  { property: 'dc:creator', form: 'Seq', field: 'author' },
  { property: 'photoshop:Headline', form: 'text', field: 'headline' },
  { property: 'photoshop:DateCreated', form: 'text', field: 'date' },
  { property: 'photoshop:City', form: 'text', field: 'city' },
  { property: 'photoshop:Country', form: 'text', field: 'country' },
  { property: 'photoshop:Credit', form: 'text', field: 'provider' },
  { property: 'photoshop:SupplementalCategories', form: 'Bag', field: 'categories' },
  { property: 'Iptc4xmpCore:Location', form: 'text', field: 'location' },
  { property: 'Iptc4xmpCore:AltTextAccessibility', form: 'Alt', field: 'altText' },
  { property: 'Iptc4xmpExt:Event', form: 'Alt', field: 'event' },
  {
    property: 'Iptc4xmpExt:DigitalSourceType',
    form: 'text',
    field: 'aiGenerated',
    toText: (value) => (value === true ? generated : null),
  },
];

/** The fields that are written into files, and the language field. */
export const embeddedFields: readonly string[] = [...new Set(rows.map(({ field }) => field)), 'lang'];

/** A property of a packet: its prefix and local name, and its element as XML. */
export type Property = Readonly<{ prefix: Prefix; name: string; xml: string }>;

/** The properties of a record for its file; fields without a value leave the properties of the file unchanged. */
export function propertiesOf(record: RecordRow): Property[] {
  const values = record as Readonly<Record<string, unknown>>;
  const lang = typeof values['lang'] === 'string' ? values['lang'] : null;
  return rows.flatMap(({ property, form, field, toText }) => {
    const value = toText === undefined ? values[field] : toText(values[field]);
    const texts = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string' && each !== '');
    if (texts.length === 0) return [];
    const [prefix, name] = property.split(':') as [Prefix, string];
    return [{ prefix, name, xml: `<${property}>${contentOf(form, texts as string[], lang)}</${property}>` }];
  });
}

function contentOf(form: Form, texts: readonly string[], lang: string | null): string {
  const [text = ''] = texts.map(escape);
  if (form === 'text') return text;
  const items =
    form === 'Alt'
      ? ['x-default', ...(lang === null ? [] : [lang])].map((each) => `<rdf:li xml:lang="${each}">${text}</rdf:li>`)
      : texts.map((each) => `<rdf:li>${escape(each)}</rdf:li>`);
  return `<rdf:${form}>${items.join('')}</rdf:${form}>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes text for XML, without characters that XML does not allow. */
function escape(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is taken out
  const printable = text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
  return printable.replaceAll(/[&<>]/g, (sign) => entities[sign] ?? sign);
}
