/** A value that no answer may show: a secret, or what can be read out of it. */
export interface SecretValue {
  text: string;
  /** False where only the whole value is a credential, because its parts are common text. */
  inParts: boolean;
}

const DOCUMENT_MEMBER_LENGTH_MIN = 8;
/** Parts of a document's member are searched for only where the member is too long to be a common word. */
const DOCUMENT_PARTS_LENGTH_MIN = 20;

export function valuesOf(secrets: Iterable<string>): SecretValue[] {
  const values = new Map<string, boolean>();
  const add = (text: string, inParts: boolean): void => {
    if (text !== '') values.set(text, inParts || values.get(text) === true);
  };
  for (const secret of secrets) {
    for (const text of [secret, secret.trim(), ...basicParts(secret)]) {
      const core = coreOf(text);
      add(text, core === text);
      add(core, true);
    }
    for (const member of documentMembers(secret)) add(member, member.length >= DOCUMENT_PARTS_LENGTH_MIN);
  }
  return Array.from(values, ([text, inParts]) => ({ text, inParts }));
}

/** Beginnings that reveal nothing: schemes of URLs and Authorization headers, the first line of a PEM text. */
const COMMON_HEAD =
  /^(?:[a-z][a-z0-9+.-]{0,30}:\/\/|(?:basic|bearer|token|apikey|digest)\s+|-----BEGIN [A-Z0-9 ]{1,40}-----\s*)/i;
const COMMON_TAIL = /\s*-----END [A-Z0-9 ]{1,40}-----\s*$/;

/** The value without what all of its kind share; empty for a JSON document, whose members are searched for instead. */
function coreOf(secret: string): string {
  const trimmed = secret.trim();
  if (trimmed.startsWith('{') && trimmed.endsWith('}')) return '';
  return trimmed.replace(COMMON_HEAD, '').replace(COMMON_TAIL, '');
}

const BASIC = /^(?:basic\s+)?(?<encoded>[A-Za-z0-9+/]{8,}={0,2})$/i;
/** A shorter user name (`admin`) is common text, and no credential by itself. */
const USER_LENGTH_MIN = 8;

/** The decoded form of a Basic credential: both parts together, the password, and a user name that is long enough. */
function basicParts(secret: string): string[] {
  const encoded = BASIC.exec(secret.trim())?.groups?.['encoded'];
  if (encoded === undefined) return [];
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  // Not every base64 is a Basic credential. Without text or a colon inside, it is some other kind of token.
  if (colon < 0 || /[\p{Cc}\uFFFD]/u.test(decoded)) return [];
  const [user, password] = [decoded.slice(0, colon), decoded.slice(colon + 1)];
  return [decoded, password, ...(user.length >= USER_LENGTH_MIN ? [user] : [])];
}

function documentMembers(secret: string): string[] {
  if (!secret.trimStart().startsWith('{')) return [];
  const members: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string' && value.length >= DOCUMENT_MEMBER_LENGTH_MIN) members.push(value);
    else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) collect(member);
  };
  try {
    collect(JSON.parse(secret));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error; // not a document, so that it has no members
  }
  return members;
}
