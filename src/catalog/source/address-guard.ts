import { lookup } from 'node:dns';
import type { LookupAddress, LookupAllOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ElementError } from '../../lib/errors.ts';

/** Decides which network addresses a source may be fetched from. */
export type AddressGuard = Readonly<{
  /** @throws ElementError `source_forbidden` if the host is an IP address that is not allowed. */
  checkHost(hostname: string): void;
  /** A DNS lookup that fails if any resolved address is not allowed, which prevents DNS rebinding. */
  lookup: LookupFunction;
}>;

/** Asks a name server for all addresses of a name. */
type AskNameServer = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The only IPv6 block allocated so far; addresses like `::127.0.0.1` lie outside it. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/** Azure's metadata service: a public address that only machines inside that cloud can reach. */
const metadataAddress = '168.63.129.16';

/**
 * Refuses all addresses except public unicast ones and those that `allow` (CIDRs) adds. An IPv4 address embedded in
 * IPv6 is checked as IPv4. `askNameServer` resolves names.
 */
export function createAddressGuard(allow: readonly string[], askNameServer: AskNameServer = lookup): AddressGuard {
  const networks = allow.map((cidr) => ipaddr.parseCIDR(cidr));

  function isAllowed(text: string): boolean {
    const address = ipaddr.process(text);
    return (
      isPublic(address) || networks.some((network) => network[0].kind() === address.kind() && address.match(network))
    );
  }

  const guardedLookup: LookupFunction = (hostname, options, callback) => {
    askNameServer(hostname, { ...options, all: true }, (error, addresses) => {
      const first = addresses?.[0];
      if (error !== null || first === undefined) {
        callback(error ?? new Error(`no address found for ${hostname}`), '', 0);
      } else if (!addresses.every(({ address }) => isAllowed(address))) {
        callback(forbidden(), '', 0);
      } else if (options.all === true) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };

  return {
    lookup: guardedLookup,
    checkHost(hostname) {
      const literal = hostname.replace(/^\[|\]$/g, '');
      if (ipaddr.isValid(literal) && !isAllowed(literal)) throw forbidden();
    },
  };
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv6' ? address.match(globalUnicast) : address.toString() !== metadataAddress;
}

function forbidden(): ElementError {
  return new ElementError('source_forbidden', 'src points to a non-public address', 'src');
}
