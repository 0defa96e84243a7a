import { type AddressRanges, isInRanges, normalAddress } from './address-ranges.ts';

/** A request as it reached the process: the peer of its connection, and the forwarding headers. */
export interface ReceivedRequest {
  /** Address of the connection's other end; null where it has none, as for a local socket. */
  peerAddress: string | null;
  encrypted: boolean;
  /** Values of X-Forwarded-For, X-Forwarded-Proto and Forwarded; an empty text where a header is absent. */
  forwardedFor: string;
  forwardedProto: string;
  forwarded: string;
}

export interface RequestOrigin {
  /** Whether it was sent over TLS by the client. */
  secure: boolean;
  /** The client's address, canonical; null if no trusted source names one. */
  clientAddress: string | null;
}

interface Hop {
  /** The address that connected to the proxy which wrote this hop. */
  address: string | null;
  /** The protocol of that connection; null if the proxy did not say. */
  protocol: string | null;
}

/**
 * Finds a request's origin. Headers count only from a trusted proxy, and from the end: each proxy appends the address
 * that called it, and the client may have written all before the first untrusted one. The client may have written one
 * of two kinds of header: then the request is secure only if both say so, and X-Forwarded-For names the client.
 */
export function originOf(request: ReceivedRequest, trusted: AddressRanges): RequestOrigin {
  const peer = request.peerAddress === null ? null : normalAddress(withoutZone(request.peerAddress));
  const direct = { secure: request.encrypted, clientAddress: peer };
  if (peer === null || !isInRanges(peer, trusted)) return direct;

  const ways = [hopsOfXForwarded(request), hopsOfForwarded(request.forwarded)].filter((hops) => hops.length > 0);
  const clients = ways.map((hops) => clientHop(hops, trusted));
  if (clients.length === 0) return direct;
  return {
    // If no proxy names a protocol, only our own connection is known.
    secure: clients.every(({ protocol }) => (protocol === null ? request.encrypted : protocol === 'https')),
    clientAddress: clients.find(({ address }) => address !== null)?.address ?? peer,
  };
}

/** The hop whose address is not a trusted proxy's, seen from the end; the farthest one where all are. */
function clientHop(hops: readonly Hop[], trusted: AddressRanges): Hop {
  const index = hops.findLastIndex(({ address }) => address === null || !isInRanges(address, trusted));
  return hops[Math.max(index, 0)] ?? { address: null, protocol: null };
}

/** One protocol for each address, or one for all. With any other count the match is unknown: if one is unencrypted, all count as that. */
function hopsOfXForwarded({ forwardedFor, forwardedProto }: ReceivedRequest): Hop[] {
  const addresses = listOf(forwardedFor).map(hostOf);
  const protocols = listOf(forwardedProto).map((protocol) => protocol.toLowerCase());
  const common = protocols.find((protocol) => protocol !== 'https') ?? protocols[0] ?? null;
  if (addresses.length === 0) return common === null ? [] : [{ address: null, protocol: common }];
  return addresses.map((address, index) => ({
    address,
    protocol: protocols.length === addresses.length ? (protocols[index] ?? null) : common,
  }));
}

/** RFC 7239: `for=192.0.2.60;proto=https, for="[2001:db8::1]:4711"`. Values hold neither commas nor semicolons of their own. */
function hopsOfForwarded(header: string): Hop[] {
  return listOf(header).map((element) => {
    const pairs = new Map(
      element.split(';').map((pair) => {
        const [name = '', ...value] = pair.split('=');
        return [name.trim().toLowerCase(), value.join('=').trim().replaceAll('"', '')] as const;
      }),
    );
    const protocol = pairs.get('proto')?.toLowerCase() ?? null;
    return { address: hostOf(pairs.get('for') ?? ''), protocol };
  });
}

function listOf(header: string): string[] {
  return header
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** The address of `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` and `[2001:db8::1]:80`; null for `unknown` and other names. */
function hostOf(text: string): string | null {
  const host = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return normalAddress(withoutZone(host));
}

/** The zone in `fe80::1%eth0` names an interface of this machine, and says nothing about the client. */
function withoutZone(address: string): string {
  return address.split('%')[0] ?? address;
}
