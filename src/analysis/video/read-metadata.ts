import type { Input, MetadataTags } from 'mediabunny';
import { cleanText, dayFrom, keywordsFrom } from '../analyzers/embedded-values.ts';
import type { EmbeddedFields } from '../analyzers/embedded-values.ts';

/** Returns a text; empty if there is none. */
type ReadTags = (tags: MetadataTags) => string;

/** The first of these tags, by its name in QuickTime, MP4 or Matroska, that is a text. */
const named =
  (...names: readonly string[]): ReadTags =>
  ({ raw = {} }) =>
    names.map((name) => cleanText(raw[name])).find((text) => text !== '') ?? '';

/**
 * The tags of each field, in order of precedence. A day is read from the text of its tag, because the parsed moment no
 * longer has the camera's time zone.
 */
const sources: Readonly<Record<string, readonly ReadTags[]>> = {
  title: [({ title }) => cleanText(title)],
  description: [({ description }) => cleanText(description)],
  author: [({ artist }) => cleanText(artist), named('com.apple.quicktime.author', '©aut', 'AUTHOR')],
  date: [
    (tags) => dayFrom(named('com.apple.quicktime.creationdate')(tags)) ?? '',
    (tags) => dayFrom(named('©day', 'DATE_RECORDED', 'DATE')(tags)) ?? '',
  ],
};
const readKeywords = named('com.apple.quicktime.keywords', 'keyw', '©key', 'KEYWORDS');

/** Type of the box of an MP4 file that contains XMP; from the XMP specification, part 3. */
const xmpType = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
const boxHeader = 8;
/** Real files have about ten boxes; fragments, which have no end, are not searched. */
const maxBoxes = 40;
/** Larger packets are not read; programs write some tens of kilobytes. */
const maxXmpBytes = 4 * 2 ** 20;
/** Starts every packet that the reader of pictures accepts. */
const packetStart = '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>';

type File = Readonly<{
  size: number;
  /** Whether it has random access. */
  isSeekable: boolean;
  /** Whether it is MP4 or QuickTime, whose tags have been read with the index. */
  isIndexed: boolean;
  /** Returns the bytes of a range within the file. */
  read: (start: number, end: number) => Promise<Uint8Array>;
}>;

/**
 * Reads the metadata of a video: XMP, and the tags of its container, by the property names of videos in the field table. XMP
 * takes precedence, since editors write it last. Broken metadata counts as none.
 */
export async function readVideoMetadata(input: Input, file: File, lang: string): Promise<EmbeddedFields> {
  if (!file.isSeekable && !file.isIndexed) return {};
  const tags = await input.getMetadataTags().catch((): MetadataTags => ({}));
  const fields: Record<string, string> = {};
  for (const [property, readers] of Object.entries(sources)) {
    const found = readers.map((read) => read(tags)).find((text) => text !== '');
    if (found !== undefined) fields[property] = found;
  }
  const { caption, keywords: ofXmp, ...xmp } = await readXmp(await findXmp(tags, file), lang);
  const keywords = keywordsFrom([...(Array.isArray(ofXmp) ? ofXmp : []), ...readKeywords(tags).split(/[,;]/)]);
  return {
    ...fields,
    ...xmp,
    ...(caption !== undefined && { description: caption }),
    ...(keywords.length > 0 && { keywords }),
  };
}

/** The XMP packet of a QuickTime or MP4 file; null if it has none. */
async function findXmp({ raw = {} }: MetadataTags, file: File): Promise<Uint8Array | null> {
  const ofQuickTime = raw['XMP_'];
  if (ofQuickTime instanceof Uint8Array) return ofQuickTime;
  return file.isSeekable && file.isIndexed ? findXmpBox(file).catch(() => null) : null;
}

/** Searches the boxes of an MP4 file for that of the XMP packet. */
async function findXmpBox({ size, read }: File): Promise<Uint8Array | null> {
  let at = 0;
  for (let count = 0; count < maxBoxes && at + boxHeader + xmpType.length <= size; count += 1) {
    const header = Buffer.from(await read(at, at + boxHeader + xmpType.length));
    const type = header.toString('latin1', 4, boxHeader);
    const length = boxLength(header, size - at);
    if (type === 'moof' || length < boxHeader) return null;
    if (type === 'uuid' && header.subarray(boxHeader).equals(xmpType)) {
      return length > maxXmpBytes ? null : read(at + boxHeader + xmpType.length, Math.min(at + length, size));
    }
    at += length;
  }
  return null;
}

/** The length of a box: 1 stands for 64 bits that follow, 0 for the rest of the file. */
function boxLength(header: Buffer, rest: number): number {
  const length = header.readUInt32BE(0);
  if (length === 1) return Number(header.readBigUInt64BE(boxHeader));
  return length === 0 ? rest : length;
}

async function readXmp(packet: Uint8Array | null, lang: string): Promise<EmbeddedFields> {
  if (packet === null || packet.length > maxXmpBytes) return {};
  const { readEmbedded } = await import('../analyzers/embedded.ts');
  const isWrapped = Buffer.from(packet.subarray(0, 200)).includes('<?xpacket begin');
  return readEmbedded(Buffer.concat([Buffer.from(isWrapped ? '' : packetStart), packet]), lang);
}
