import { namespaces } from './properties.ts';
import type { Property } from './properties.ts';
import { rdf, scanPacket } from './scan.ts';

const meta = 'adobe:ns:meta/';

/**
 * An XMP packet with these properties; all other properties of the file's packet are kept. A packet that cannot be
 * parsed is replaced.
 *
 * @throws LargeMetadataError if the file's packet has too many tags.
 */
export function toPacket(properties: readonly Property[], former: string | null): Buffer {
  const added = descriptionOf(properties);
  const kept = former === null ? null : changed(former, properties, added);
  const xml = kept ?? `<x:xmpmeta xmlns:x="${meta}"><rdf:RDF xmlns:rdf="${rdf}">${added}</rdf:RDF></x:xmpmeta>`;
  return Buffer.from(`<?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>\n${xml}\n<?xpacket end="w"?>`);
}

/** The properties as an element that declares its own namespaces: the packet of the file may use other prefixes. */
function descriptionOf(properties: readonly Property[]): string {
  const names = Object.entries({ rdf, ...namespaces }).map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`);
  return `<rdf:Description rdf:about="" ${names.join(' ')}>${properties.map(({ xml }) => xml).join('')}</rdf:Description>`;
}

/**
 * The root of a packet with `added` in place of these properties, which are elements or, if short, may be attributes.
 */
function changed(xml: string, properties: readonly Property[], added: string): string | null {
  const asked = new Set(properties.map(({ prefix, name }) => `${namespaces[prefix]} ${name}`));
  const places = scanPacket(xml, (uri, name) => asked.has(`${uri} ${name}`));
  if (places === null) return null;
  const pieces: string[] = [];
  let at = places.root.start;
  for (const { start, end } of places.found) {
    pieces.push(xml.slice(at, start));
    at = end;
  }
  return [...pieces, xml.slice(at, places.rdfEnd), added, xml.slice(places.rdfEnd, places.root.end)].join('');
}
