/** The forms in which well-known providers issue credentials, with a name for people. The source of each is its provider's documentation. */
const FORMS: readonly [string, RegExp][] = [
  ['a key of Stripe', /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{8,}/],
  ['a webhook signing secret', /\bwhsec_[A-Za-z0-9+/=]{16,}/],
  ['a token of GitHub', /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/],
  ['a token of GitLab', /\bglpat-[A-Za-z0-9_-]{16,}/],
  ['a token of Slack', /\bx(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,}/],
  ['an AWS access key id', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ['a key of Google', /\bAIza[A-Za-z0-9_-]{35}/],
  ['a token of Google', /\bya29\.[A-Za-z0-9_-]{20,}/],
  ['a key of SendGrid', /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/],
  ['a key of Resend', /\bre_[A-Za-z0-9]{6,}_[A-Za-z0-9]{16,}/],
  ['a key of OpenAI or Anthropic', /\bsk-[A-Za-z0-9_-]{20,}/],
  ['a token of npm', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['a token of PyPI', /\bpypi-[A-Za-z0-9_-]{16,}/],
  ['a token of Shopify', /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b/],
  ['a token of DigitalOcean', /\bdo[opr]_v1_[a-f0-9]{64}\b/],
  ['a token of Hugging Face', /\bhf_[A-Za-z0-9]{30,}/],
  ['a key of this service', /\bservice_live_[A-Za-z0-9]{32}\b/],
  ['a JSON Web Token', /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/],
  ['a private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/],
  ['a bearer token', /\b(?:bearer|basic)\s+[A-Za-z0-9._~+/-]{16,}=*/i],
];

/** Headers and query parameters whose value is a credential, whatever it looks like; compared in lower case. */
const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'api-key',
  'apikey',
  'x-auth-token',
  'x-access-token',
  'private-token',
]);
const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set([
  'api_key',
  'apikey',
  'api-key',
  'access_token',
  'client_secret',
  'auth_token',
]);

/** Where a text stands that is sent: what its header or parameter is called says what it is. */
export interface SentText {
  place: 'url' | 'query' | 'header' | 'body';
  name: string | null;
  /** The text with `mark` in the place of each reference. */
  literal: string;
  hasReference: boolean;
}

/** What kind of credential a text seems to hold; null where it holds none. The text itself is never repeated. */
export function literalCredential({ place, name, literal, hasReference }: SentText): string | null {
  const form = FORMS.find(([, pattern]) => pattern.test(literal));
  if (form !== undefined) return form[0];
  if (hasReference || literal.trim() === '') return null;
  const lower = name?.toLowerCase() ?? '';
  if (place === 'header' && CREDENTIAL_HEADERS.has(lower)) return `the value of ${name}`;
  if (place === 'query' && CREDENTIAL_PARAMETERS.has(lower)) return `the value of ${name}`;
  return place === 'url' ? credentialInUrl(literal) : null;
}

function credentialInUrl(url: string): string | null {
  const query = url.split('#', 1)[0]?.split('?').slice(1).join('?') ?? '';
  for (const [name, value] of new URLSearchParams(query)) {
    if (value !== '' && CREDENTIAL_PARAMETERS.has(name.toLowerCase())) return `the value of ${name}`;
  }
  return null;
}
