import { type ClientMetadata, errors } from 'oidc-provider';
import { jsonDepthExceeds } from '../../domain/json.ts';
import { isAppScheme } from '../../domain/oauth/redirect-schemes.ts';
import { isStorable } from '../../domain/storable-text.ts';

const REDIRECTS_MAX = 10;
const REDIRECT_CHARACTERS_MAX = 500;
const NAME_CHARACTERS_MAX = 100;
/** The certificates in a key of a key set, the deepest that an app says of itself, are at five. */
const METADATA_DEPTH_MAX = 8;
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])$/;
/**
 * The visible characters of ASCII (RFC 3986), without the backslash. A parser of URLs drops line ends and tabs, trims spaces and turns a
 * backslash round: what is compared and shown would not be where the code goes.
 */
const URI_TEXT = /^[\x21-\x5b\x5d-\x7e]+$/;

/** Characters of no URL: control and format characters, spaces and line ends of every kind. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Z}]/u;

/** Where a redirect leads: to a site, to a program that listens on the user's machine, or to an app by a scheme of its own. */
export type RedirectKind = 'site' | 'loopback' | 'app';

/** Null for a redirect that no code is sent to. `schemes` are those of `OAUTH_REDIRECT_SCHEMES`. */
export function redirectKindOf(text: string, schemes: readonly string[]): RedirectKind | null {
  if (text.length > REDIRECT_CHARACTERS_MAX || !URI_TEXT.test(text) || !URL.canParse(text)) return null;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '' || text.includes('#')) return null;
  if (protocol === 'https:') return 'site';
  if (protocol === 'http:') return LOOPBACK_HOST.test(hostname) ? 'loopback' : null;
  return isAppScheme(protocol.slice(0, -1), schemes) ? 'app' : null;
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
export function requireFewAndOurRedirects(metadata: ClientMetadata, schemes: readonly string[]): void {
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
  for (const [member, value] of Object.entries(metadata)) {
    if (member.endsWith('_uri') && typeof value === 'string' && UNSEEN.test(value)) {
      throw new errors.InvalidClientMetadata(`${member} must hold no spaces and no control characters`);
    }
  }
  if (!isListOfTexts(redirects) || redirects.length === 0 || redirects.length > REDIRECTS_MAX) {
    throw new errors.InvalidClientMetadata(`redirect_uris must hold 1 to ${REDIRECTS_MAX} URLs`);
  }
  if (!redirects.every((redirect) => redirectKindOf(redirect, schemes) !== null)) {
    throw new errors.InvalidClientMetadata(
      'redirect_uris must be https, http on localhost, 127.0.0.1 or [::1], or of the scheme of an app: a reversed domain name ' +
        `such as com.example.app${schemes.length === 0 ? '' : `, or one of ${schemes.join(', ')}`}. They hold no fragment, no ` +
        'credentials, no spaces and no control characters',
    );
  }
  if (typeof name === 'string' && name.length > NAME_CHARACTERS_MAX) {
    throw new errors.InvalidClientMetadata(`client_name must have at most ${NAME_CHARACTERS_MAX} characters`);
  }
}

export function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
