import { DOMParser, XMLSerializer } from '@xmldom/xmldom';
import type { Document, Element } from '@xmldom/xmldom';
import { trimWhere } from '../../lib/trim.ts';
import { namespaces } from './properties.ts';
import type { Property } from './properties.ts';

const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const meta = 'adobe:ns:meta/';

/**
 * An XMP packet with these properties, and with all other properties of the file's packet. A packet that cannot be read is
 * replaced.
 */
export function toPacket(properties: readonly Property[], former: string | null): Buffer {
  const own = parse(whole(properties));
  const kept = former === null ? null : parse(former);
  const target = kept === null ? null : rdfOf(kept);
  const added = own === null ? null : descriptionsOf(own)[0];
  const document = target === null || kept === null ? own : kept;
  if (target !== null && kept !== null && added !== undefined && added !== null) {
    for (const description of descriptionsOf(kept)) removeFrom(description, properties);
    target.appendChild(kept.importNode(added, true));
  }
  const root = document?.getElementsByTagNameNS(meta, 'xmpmeta')[0] ?? document?.documentElement ?? null;
  const xml = root === null ? whole(properties) : new XMLSerializer().serializeToString(root);
  return Buffer.from(`<?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>\n${xml}\n<?xpacket end="w"?>`);
}

function whole(properties: readonly Property[]): string {
  const names = Object.entries(namespaces).map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`);
  const description = `<rdf:Description rdf:about="" ${names.join(' ')}>${properties.map(({ xml }) => xml).join('')}</rdf:Description>`;
  return `<x:xmpmeta xmlns:x="${meta}"><rdf:RDF xmlns:rdf="${rdf}">${description}</rdf:RDF></x:xmpmeta>`;
}

const isPadding = (character: string) => character === '\0' || /\s/.test(character);

/** Parses a packet; null if it is not XML, contains no RDF, or declares entities. */
function parse(xml: string): Document | null {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) return null;
  let hasFault = false;
  try {
    const parser = new DOMParser({ onError: (level) => void (hasFault ||= level !== 'warning') });
    const document = parser.parseFromString(trimWhere(xml, isPadding), 'text/xml');
    return hasFault || rdfOf(document) === null ? null : document;
  } catch {
    return null;
  }
}

function rdfOf(document: Document): Element | null {
  return document.getElementsByTagNameNS(rdf, 'RDF')[0] ?? null;
}

/** The elements below `rdf:RDF` that contain properties. */
function descriptionsOf(document: Document): Element[] {
  const children = [...(rdfOf(document)?.childNodes ?? [])];
  return children.filter((node): node is Element => node.nodeType === 1 && (node as Element).namespaceURI === rdf);
}

/** Removes properties, which are elements or, if short, may be attributes. */
function removeFrom(description: Element, properties: readonly Property[]): void {
  for (const { prefix, name } of properties) {
    const uri = namespaces[prefix];
    description.removeAttributeNS(uri, name);
    for (const node of [...description.childNodes] as Element[]) {
      if (node.nodeType === 1 && node.namespaceURI === uri && node.localName === name) description.removeChild(node);
    }
  }
}
