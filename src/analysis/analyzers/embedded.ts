import ExifReader from 'exifreader';
import type { ExpandedTags } from 'exifreader';
import { cleanText, dayFrom, keywordsFrom } from './embedded-values.ts';
import type { EmbeddedFields } from './embedded-values.ts';
import { packetParser } from './packet-parser.ts';

/** The metadata blocks that a file may have, by precedence. Editors write XMP last. */
const blocks = ['xmp', 'iptc', 'exif'] as const;
type Block = (typeof blocks)[number];

type Tags = Readonly<Record<Block, Readonly<Record<string, unknown>>>>;
type Read = (value: unknown, lang: string) => string | boolean | null;
type Source = Readonly<{ block: Block; tag: string; read: Read }>;

const xmp = (tag: string, read: Read = readText): Source => ({ block: 'xmp', tag, read });
const iptc = (tag: string, read: Read = readText): Source => ({ block: 'iptc', tag, read });
const exif = (tag: string, read: Read = readText): Source => ({ block: 'exif', tag, read });

/** Sources in IPTC Extension that replace older fields: the place shown, or the place where the picture was made. */
const places = (part: string): Source[] =>
  ['LocationShown', 'LocationCreated'].map((tag) => xmp(tag, (value, lang) => readPlace(value, part, lang)));

/**
 * Sources of each field, in order of precedence. Tags have the names that ExifReader uses. Pairings
 * follow the IPTC Photo Metadata Standard 2024.1 and its mapping to IIM and EXIF. Windows Explorer writes the `XP` tags.
 */
const sources: Readonly<Record<string, readonly Source[]>> = {
  title: [xmp('title'), iptc('Object Name'), exif('XPTitle')],
  headline: [xmp('Headline'), iptc('Headline')],
  caption: [
    xmp('description'),
    iptc('Caption/Abstract'),
    exif('ImageDescription', readDescription),
    xmp('ImageDescription', readDescription),
    exif('XPComment', readDescription),
  ],
  altText: [xmp('AltTextAccessibility')],
  author: [
    xmp('creator', readNames),
    iptc('By-line', readNames),
    exif('Artist'),
    xmp('Artist'),
    exif('XPAuthor', readNameList),
  ],
  provider: [xmp('Credit'), iptc('Credit'), xmp('Source'), iptc('Source')],
  date: [
    xmp('DateCreated', readDate),
    iptc('Date Created', readDate),
    exif('DateTimeOriginal', readDate),
    xmp('DateTimeOriginal', readDate),
  ],
  location: [xmp('Location'), iptc('Sub-location'), ...places('Sublocation')],
  city: [xmp('City'), iptc('City'), ...places('City')],
  country: [xmp('Country'), iptc('Country/Primary Location Name'), ...places('CountryName')],
  event: [xmp('Event')],
  aiGenerated: [xmp('DigitalSourceType', readAiGenerated)],
  modelRelease: [xmp('ModelReleaseStatus', readRelease)],
  propertyRelease: [xmp('PropertyReleaseStatus', readRelease)],
};

/** Sources of lists: their values are the union of all sources, IPTC first as the oldest. */
const lists: Readonly<Record<string, readonly Readonly<{ block: Block; tag: string; leaf?: boolean }>[]>> = {
  keywords: [
    { block: 'iptc', tag: 'Keywords' },
    { block: 'xmp', tag: 'subject' },
    { block: 'xmp', tag: 'hierarchicalSubject', leaf: true },
    { block: 'exif', tag: 'XPKeywords' },
  ],
  categories: [
    { block: 'iptc', tag: 'Supplemental Category' },
    { block: 'xmp', tag: 'SupplementalCategories' },
  ],
};

/**
 * Reads EXIF, IPTC and XMP. If a text is given in several languages, the one in `lang` is used, otherwise the file's
 * default. In a standalone XMP file, the fields describe its picture.
 *
 * @returns no fields for a file without metadata, or with broken metadata: the picture itself may be fine.
 */
export function readEmbedded(bytes: Buffer, lang: string): EmbeddedFields {
  const tags = readTags(bytes);
  if (tags === null) return {};
  const fields: Record<string, string | boolean | readonly string[]> = {};
  for (const [property, places] of Object.entries(sources)) {
    for (const { block, tag, read } of places) {
      const value = read(tags[block][tag], lang);
      if (value === null || value === '') continue;
      fields[property] = value;
      break;
    }
  }
  for (const [property, places] of Object.entries(lists)) {
    const values = keywordsFrom(places.flatMap(({ block, tag, leaf }) => textsIn(tags[block][tag], leaf)));
    if (values.length > 0) fields[property] = values;
  }
  return fields;
}

function readTags(bytes: Buffer): Tags | null {
  let found: ExpandedTags;
  try {
    found = ExifReader.load(bytes, { expanded: true, excludeTags: { xmp: ['_raw'] }, domParser: packetParser });
  } catch {
    return null;
  }
  const block = (name: Block) => (found[name] ?? {}) as Readonly<Record<string, unknown>>;
  return { xmp: block('xmp'), iptc: block('iptc'), exif: block('exif') };
}

type Tag = Readonly<{ value?: unknown; description?: unknown; attributes?: Readonly<Record<string, unknown>> }>;

/** The texts of a tag: a single text, the items of a list, or a text in several languages. */
function textsOf(value: unknown): readonly Readonly<{ text: string; lang: string }>[] {
  const tag = (value ?? {}) as Tag;
  const items = Array.isArray(value) ? value : Array.isArray(tag.value) && isTagged(tag.value) ? tag.value : [value];
  return items.flatMap((item: Tag | undefined) => {
    const text = cleanText(item?.description ?? item?.value);
    return text === '' ? [] : [{ text, lang: String(item?.attributes?.['lang'] ?? 'x-default') }];
  });
}

function isTagged(items: readonly unknown[]): boolean {
  return items.every((item) => typeof item === 'object' && item !== null && 'value' in item);
}

function readText(value: unknown, lang: string): string | null {
  const texts = textsOf(value);
  const own = texts.find((each) => each.lang.toLowerCase().startsWith(lang));
  return (own ?? texts.find((each) => each.lang === 'x-default') ?? texts[0])?.text ?? null;
}

function readNames(value: unknown): string | null {
  return textsOf(value)
    .map(({ text }) => text)
    .join(', ');
}

/** Names in one text, separated by semicolons. */
function readNameList(value: unknown): string {
  return keywordsFrom(textsIn(value)).join(', ');
}

/** Placeholders that cameras and programs write instead of a description. */
const noDescription =
  /^(?:(?:olympus |konica minolta |minolta |samsung |kodak )?digital camera|sony dsc|minolta dsc|dcim|dsc[\w-]*|exif_jpeg_(?:picture|t\d+)|jpeg picture|default|untitled|image description)$/i;

function readDescription(value: unknown, lang: string): string | null {
  const text = readText(value, lang);
  return text === null || noDescription.test(text) ? null : text;
}

/** Reads a part of a place; null if several places are named, since then none is the picture's. */
function readPlace(value: unknown, part: string, lang: string): string | null {
  const items = (value as Tag | undefined)?.value;
  const [place, ...others] = Array.isArray(items) ? items : [items];
  if (typeof place !== 'object' || place === null || others.length > 0) return null;
  return readText((place as Readonly<Record<string, unknown>>)[part], lang);
}

function readDate(value: unknown): string | null {
  return dayFrom(textsOf(value)[0]?.text ?? '');
}

/** Whether the IPTC digital source type is one of pictures made by a trained model, at least in part. */
function readAiGenerated(value: unknown): boolean | null {
  const type = textsOf(value)[0]?.text ?? '';
  if (type === '') return null;
  return /\/(?:trainedAlgorithmicMedia|compositeWithTrainedAlgorithmicMedia)$/.test(type);
}

/** PLUS releases: true for unlimited or limited ones, false for `NON`, null for others, such as `NAP` (not applicable). */
function readRelease(value: unknown): boolean | null {
  const status = /[MP]R-(\w{3})$/.exec(textsOf(value)[0]?.text ?? '')?.[1];
  if (status === 'UMR' || status === 'UPR' || status === 'LMR' || status === 'LPR') return true;
  return status === 'NON' ? false : null;
}

/** The texts of a list; of hierarchies, only the leaves. */
function textsIn(value: unknown, leaf = false): string[] {
  return textsOf(value).flatMap(({ text }) => (leaf ? (text.split('|').at(-1) ?? '') : text).split(';'));
}
