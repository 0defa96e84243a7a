import { type ClientMetadata, errors } from 'oidc-provider';
import { jsonDepthExceeds } from '../../domain/json.ts';
import { isStorable } from '../../domain/storable-text.ts';

const REDIRECTS_MAX = 10;
const REDIRECT_CHARACTERS_MAX = 500;
const NAME_CHARACTERS_MAX = 100;
/** The certificates in a key of a key set, the deepest that an app says of itself, are at five. */
const METADATA_DEPTH_MAX = 8;
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** https, or http on the loopback. A scheme of an app is none: any other app on the device can claim it, and take the code. */
export function isOurRedirect(text: string): boolean {
  if (!URL.canParse(text) || text.length > REDIRECT_CHARACTERS_MAX) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== '' || password !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOST.test(hostname));
}

/** Whether a redirect leads to the user's own machine. */
export function isOnLoopback({ hostname }: URL): boolean {
  return LOOPBACK_HOST.test(hostname);
}

/** How a code reaches an app: in its redirect. A form that posts itself would need a script in our page. */
export const RESPONSE_MODES: readonly string[] = ['query', 'fragment'];

/**
 * What an app says of itself, by registration or by document, is small, and its redirects are ones that we send codes to. The provider asks this
 * before it looks at types: any member may be anything.
 */
export function requireFewAndOurRedirects(metadata: ClientMetadata): void {
  const { redirect_uris: redirects, client_name: name, response_modes: modes = [] }: Record<string, unknown> = metadata;
  if (jsonDepthExceeds(metadata, METADATA_DEPTH_MAX)) {
    throw new errors.InvalidClientMetadata(`the metadata must be nested at most ${METADATA_DEPTH_MAX} deep`);
  }
  if (!isStorable(metadata)) {
    throw new errors.InvalidClientMetadata('no text may hold a NUL or half of a surrogate pair');
  }
  if (!isListOfTexts(modes) || !modes.every((mode) => RESPONSE_MODES.includes(mode))) {
    throw new errors.InvalidClientMetadata(`response_modes must be of ${RESPONSE_MODES.join(', ')}`);
  }
  if (!isListOfTexts(redirects) || redirects.length === 0 || redirects.length > REDIRECTS_MAX) {
    throw new errors.InvalidClientMetadata(`redirect_uris must hold 1 to ${REDIRECTS_MAX} URLs`);
  }
  if (!redirects.every(isOurRedirect)) {
    throw new errors.InvalidClientMetadata('redirect_uris must be https, or http on localhost, 127.0.0.1 or [::1]');
  }
  if (typeof name === 'string' && name.length > NAME_CHARACTERS_MAX) {
    throw new errors.InvalidClientMetadata(`client_name must have at most ${NAME_CHARACTERS_MAX} characters`);
  }
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
