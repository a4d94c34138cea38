import { DOMParser, onErrorStopParsing } from '@xmldom/xmldom';

/** Real programs write packets with far fewer tags, nested less deeply. */
const limits = { tags: 30_000, depth: 100 } as const;

/**
 * Parses XMP packets, but reads no properties from a packet with too many tags: the parser takes up to a millisecond
 * per tag, and a gigabyte for a few thousand nested ones.
 */
export const packetParser = {
  parseFromString(xml: string, type: string) {
    if (!isParsable(xml)) throw new Error('the packet has too many tags');
    return new DOMParser({ onError: onErrorStopParsing }).parseFromString(xml, type);
  },
};

/** Whether the number of tags and their depth are within the limits. Tags in comments count, too. */
function isParsable(xml: string): boolean {
  let [tags, depth] = [0, 0];
  for (const [tag, first = ''] of xml.matchAll(/<([/?!]?)[^<>]*/g)) {
    tags += 1;
    if (first === '/') depth -= 1;
    else if (first === '' && !tag.endsWith('/')) depth += 1;
    if (tags > limits.tags || depth > limits.depth) return false;
  }
  return true;
}
