/** Editors that connect to MCP servers. Their schemes are no reversed domain names, so each is named (`OAUTH_REDIRECT_SCHEMES`). */
export const REDIRECT_SCHEMES_DEFAULT: readonly string[] = ['cursor', 'vscode', 'vscode-insiders', 'windsurf'];

/** RFC 3986, 3.1, in small letters. */
export const SCHEME = /^[a-z][a-z0-9+.-]*$/;

/** Schemes that a browser opens itself, or that run or read something. No operator can allow them. */
export const NEVER_REDIRECT_SCHEMES: ReadonlySet<string> = new Set([
  'about',
  'blob',
  'chrome',
  'data',
  'file',
  'filesystem',
  'ftp',
  'http',
  'https',
  'intent',
  'javascript',
  'mailto',
  'vbscript',
  'view-source',
  'ws',
  'wss',
]);

/** RFC 8252, 7.1: the scheme of an app is a domain name of its maker, reversed (`com.example.app`). */
const REVERSED_DOMAIN = /^[a-z][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+$/;

/** Whether a code may go to links of this scheme, without its colon, which an app on the user's device has claimed. */
export function isAppScheme(scheme: string, named: readonly string[]): boolean {
  if (NEVER_REDIRECT_SCHEMES.has(scheme)) return false;
  return named.includes(scheme) || REVERSED_DOMAIN.test(scheme);
}
