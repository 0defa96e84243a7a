import { messageAssociatedData, openContent } from '../../db/messages/records.ts';
import type { Tenant } from '../../db/client.ts';
import type { SealedSigner } from '../../db/events/subscription-secrets.ts';
import type { MessageWork } from '../../db/messages/message-work.ts';
import type { Vault } from '../../db/secrets/vault.ts';
import type { PreparedRequest } from '../../domain/adapters/adapter-descriptor.ts';
import { RESPONSE_READ_BYTES_MAX } from '../../domain/messages/messages.ts';
import { signatureHeader } from '../../domain/messages/signing.ts';
import { USER_AGENT } from '../../domain/product.ts';
import type { ResponseLimit } from '../adapters/http-request/exchange.ts';

const CONTENT_TYPES = { json: 'application/json', text: 'text/plain; charset=utf-8' } as const;
/** A larger response counts by its status; the rest is not read. */
const LIMIT: ResponseLimit = { bytesMax: RESPONSE_READ_BYTES_MAX, larger: 'cut' };
/** Shorter pieces of a credential (`Bearer`, a cookie's name) are no credentials. */
const SECRET_PIECE_CHARACTERS_MIN = 8;

/**
 * Builds the request of one attempt, signed and with its credentials, at the last moment before it is sent. Source of the
 * headers: docs/messages.md, "What is sent". Throws where a sealed value does not open; nothing was sent then.
 */
export function makeDelivery(
  vault: Pick<Vault, 'open'>,
  tenant: Tenant,
  work: MessageWork,
  signers: readonly SealedSigner[],
  timestampSeconds: number,
): { request: PreparedRequest; limit: ResponseLimit; secrets: string[] } {
  if (work.content === null) throw new Error('its content is gone');
  const { headers, body, secrets, secretBody } = openContent(
    vault,
    messageAssociatedData(tenant, work.id),
    work.content,
  );
  const keys = signers.map(({ associatedData, sealed }) => vault.open(associatedData, sealed));
  const { environmentId } = tenant;
  const signature = signatureHeader(keys, {
    messageId: work.id,
    timestampSeconds,
    environmentId,
    body: body?.text ?? '',
  });
  const own = { ...headers };
  const given = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  if (!given.has('user-agent')) own['User-Agent'] = USER_AGENT;
  if (body !== null && !given.has('content-type')) own['Content-Type'] = CONTENT_TYPES[body.kind];
  const request: PreparedRequest = {
    method: work.method,
    url: work.url,
    headers: {
      ...own,
      'webhook-id': work.id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signature,
      'X-Service-Environment-Id': environmentId,
      'X-Service-Attempt': String(work.attempt),
      ...(work.scheduleId === null ? {} : { 'X-Service-Schedule-Id': work.scheduleId }),
      ...(work.urlGroupId === null ? {} : { 'X-Service-Url-Group': work.urlGroupId }),
    },
    body: body?.text ?? null,
    bodyEncoding: 'utf8',
  };
  // A sealed body is searched for whole and, where it is a JSON document, by its strings: its words are no credentials.
  const sealed = secretBody === null ? [] : [secretBody];
  return { request, limit: LIMIT, secrets: [...secrets.flatMap(piecesOf), ...sealed] };
}

/** A destination may echo a token without the word `Bearer` before it, or one cookie of several. */
function piecesOf(secret: string): string[] {
  const pieces = secret.split(/[\s;,=]+/).filter((piece) => piece.length >= SECRET_PIECE_CHARACTERS_MIN);
  return [secret, ...pieces];
}
