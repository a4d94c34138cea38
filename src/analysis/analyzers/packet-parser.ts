import { DOMParser, onErrorStopParsing } from '@xmldom/xmldom';

/** No packet of a program has more tags, or tags inside each other, than this. */
const limits = { tags: 30_000, depth: 100 } as const;

/**
 * Parses XMP packets. A packet with too many tags has none of its properties read: the parser takes up to a millisecond for
 * each, and a gigabyte for some thousands inside each other.
 */
export const packetParser = {
  parseFromString(xml: string, type: string) {
    if (!isParsable(xml)) throw new Error('the packet has too many tags');
    return new DOMParser({ onError: onErrorStopParsing }).parseFromString(xml, type);
  },
};

/** Whether the numbers of tags are within the limits. Tags in comments count, too. */
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
