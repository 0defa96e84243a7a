import type { DataConverter, Payload, PayloadCodec, SerializationContext } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { Json } from '../domain/json.ts';
import { openBytes, sealBytes } from '../domain/sealing.ts';
import { parseVersionedKeys, UnknownKeyError, type VersionedKeys } from '../domain/versioned-keys.ts';

/** The name that Temporal's own samples give to an encrypted payload. */
const ENCODING = { key: 'encoding', value: Buffer.from('binary/encrypted') };
const KEY_VERSION = 'key-version';
/** Temporal appends a firing's time to the workflow id of its schedule, whose arguments were sealed before there was a firing. */
const FIRED_AT = /-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/**
 * Seals what Temporal stores of workflows and activities (arguments, results, signals, updates, queries, memos, heartbeats) with
 * AES-256-GCM, bound to the workflow that it belongs to (a replay knows no namespace). What is not sealed is read as it is, so that earlier
 * histories stay readable.
 *
 * @throws where a payload was sealed with a key that is not given, changed, or copied from another workflow.
 */
class PayloadSealing implements PayloadCodec {
  private readonly known: VersionedKeys;

  constructor(known: VersionedKeys) {
    this.known = known;
  }

  encode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    const { keys, sealing } = this.known;
    const key = sealing === null ? undefined : keys.get(sealing);
    if (key === undefined) return Promise.resolve(payloads);
    const metadata = { [ENCODING.key]: ENCODING.value, [KEY_VERSION]: Buffer.from(String(sealing)) };
    const seal = (payload: Payload): Payload => ({
      metadata,
      data: sealBytes(key, PayloadMessage.encode(payload).finish(), ownerOf(context)),
    });
    return Promise.resolve(payloads.map(seal));
  }

  async decode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    return payloads.map((payload) => {
      const { metadata, data } = payload;
      if (!isSealed(payload)) return payload;
      const version = Number(Buffer.from(metadata?.[KEY_VERSION] ?? []).toString());
      const key = this.known.keys.get(version);
      if (key === undefined)
        throw new UnknownKeyError(
          `TEMPORAL_PAYLOAD_KEYS has no key of version ${version}, which a payload was sealed with`,
        );
      return PayloadMessage.decode(openBytes(key, data ?? new Uint8Array(), ownerOf(context), 'a payload of Temporal'));
    });
  }
}

function isSealed({ metadata }: Payload): boolean {
  return ENCODING.value.equals(metadata?.[ENCODING.key] ?? new Uint8Array());
}

function ownerOf(context: SerializationContext | undefined): Json {
  return { workflowId: context?.workflowId?.replace(FIRED_AT, '') ?? null };
}

/** The options that name the namespace to clients and workers alike, and seal its payloads where there are keys. */
export function namespaceOptions(configuration: { TEMPORAL_NAMESPACE: string; TEMPORAL_PAYLOAD_KEYS: string | null }): {
  namespace: string;
  dataConverter?: DataConverter;
} {
  const { TEMPORAL_NAMESPACE: namespace, TEMPORAL_PAYLOAD_KEYS: keys } = configuration;
  return { namespace, ...sealedPayloads(keys) };
}

/** Without keys nothing is sealed, and what is sealed cannot be read. */
export function sealedPayloads(keys: string | null): { dataConverter?: DataConverter } {
  if (keys === null) return {};
  return {
    dataConverter: { payloadCodecs: [new PayloadSealing(parseVersionedKeys(keys, 'TEMPORAL_PAYLOAD_KEYS: key'))] },
  };
}
