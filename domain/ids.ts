import { uuidv7 } from 'uuidv7';

/** `<prefix>_` and 22 base62 characters of a UUIDv7, sorted by creation as bytes: docs/api.md, "Ids". */
export const ID_PREFIXES = {
  action: 'act',
  actionVersion: 'ver',
  invocation: 'inv',
  effect: 'eff',
  preview: 'prv',
  approval: 'apr',
  approvalPolicy: 'pol',
  impactLimit: 'lim',
  message: 'msg',
  urlGroup: 'grp',
  deadLetterJob: 'dlj',
  schedule: 'sch',
  flowControlKey: 'fck',
  topic: 'top',
  subscription: 'sub',
  event: 'evt',
  subscriptionSecret: 'sbs',
  eventRecovery: 'rcv',
  run: 'run',
  span: 'spn',
  session: 'ses',
  sessionMessage: 'smg',
  memory: 'mem',
  collection: 'col',
  memoryJob: 'job',
  file: 'fil',
  cacheEntry: 'cch',
  secret: 'sec',
  notification: 'ntf',
  notificationEmail: 'eml',
  apiKey: 'key',
  connectedApp: 'app',
  request: 'req',
  attempt: 'att',
  evidence: 'evd',
  user: 'usr',
  invitation: 'ivt',
  signInSession: 'sis',
  passkey: 'pky',
  auditEntry: 'aud',
  signingKey: 'sgk',
  policyPlan: 'ppl',
  reservation: 'rsv',
  resolution: 'rsl',
  invoice: 'ivc',
  invoiceLine: 'ivl',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ENCODED_LENGTH = 22;

/** The 22 base62 characters of a UUID, most significant first. */
export function encodeUuid(uuid: string): string {
  return encode(BigInt(`0x${uuid.replaceAll('-', '')}`));
}

function encode(number: bigint): string {
  let rest = number;
  let encoded = '';
  for (let position = 0; position < ENCODED_LENGTH; position++) {
    encoded = ALPHABET.charAt(Number(rest % 62n)) + encoded;
    rest /= 62n;
  }
  return encoded;
}

export function newId(kind: IdKind): string {
  return `${ID_PREFIXES[kind]}_${encodeUuid(uuidv7())}`;
}

export function isId(kind: IdKind, value: string): boolean {
  return idPattern(kind).test(value);
}

/** The UUID that 22 base62 characters stand for; null where they stand for none. */
export function decodeUuid(encoded: string): string | null {
  if (encoded.length !== ENCODED_LENGTH || !/^[0-9A-Za-z]+$/.test(encoded)) return null;
  let number = 0n;
  for (const character of encoded) number = number * 62n + BigInt(ALPHABET.indexOf(character));
  const hex = number.toString(16).padStart(32, '0');
  return hex.length > 32 ? null : hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function idPattern(kind: IdKind): RegExp {
  return new RegExp(`^${ID_PREFIXES[kind]}_[0-9A-Za-z]{${ENCODED_LENGTH}}$`);
}
