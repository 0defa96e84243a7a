import { ID_PREFIXES, type IdKind } from './ids.ts';

/** What each kind of id names, in the words of the 404 of that kind. */
const NOUNS: Readonly<Record<IdKind, string>> = {
  action: 'action',
  actionVersion: 'version of an action',
  invocation: 'invocation',
  effect: 'effect',
  preview: 'preview',
  approval: 'approval',
  approvalPolicy: 'approval policy',
  impactLimit: 'impact limit',
  message: 'message',
  urlGroup: 'URL group',
  deadLetterJob: 'dead-letter job',
  schedule: 'schedule',
  flowControlKey: 'flow-control key',
  topic: 'topic',
  subscription: 'subscription',
  event: 'event',
  subscriptionSecret: 'subscription secret',
  eventRecovery: 'recovery',
  run: 'run',
  span: 'span',
  session: 'session',
  sessionMessage: 'message of this session',
  memory: 'memory',
  collection: 'memory collection',
  memoryJob: 'memory job',
  file: 'file',
  cacheEntry: 'cache entry',
  secret: 'secret',
  notification: 'notification',
  notificationEmail: 'e-mail',
  apiKey: 'API key',
  connectedApp: 'connected app',
  request: 'request',
  attempt: 'attempt',
  evidence: 'piece of evidence',
  user: 'member',
  invitation: 'invitation',
  signInSession: 'sign-in session',
  passkey: 'passkey',
  auditEntry: 'audit entry',
  signingKey: 'signing key',
  policyPlan: 'plan',
  reservation: 'reservation',
  resolution: 'resolution',
  invoice: 'invoice',
  invoiceLine: 'line of an invoice',
};

const KINDS = new Map(Object.entries(ID_PREFIXES).map(([kind, prefix]) => [prefix as string, kind as IdKind]));
const ID = /^([a-z]{3})_[0-9A-Za-z]{22}$/;

/** What a text is the id of, by its form alone; null where it is no id. */
function nounOf(text: string): string | null {
  const kind = KINDS.get(ID.exec(text)?.[1] ?? '');
  return kind === undefined ? null : NOUNS[kind];
}

/** `that is an effect's id`, for a text where something else is asked for; null where it is no id. */
export function otherKindText(text: string): string | null {
  const noun = nounOf(text);
  if (noun === null) return null;
  const owner = noun.replace(/ of (an?|this) .*$/, '');
  const article = /^([aeio]|API|URL(?! ))/.test(owner) ? 'an' : 'a';
  return `that is ${article} ${owner}'s id`;
}

/** The same for several ids; null where one is of the missing kind. `what`: the noun of the 404. */
export function otherKindAmong(what: string, texts: readonly string[]): string | null {
  const nouns = texts.map(nounOf);
  if (nouns.includes(what)) return null;
  const last = texts.findLast((_, index) => nouns[index] !== null);
  return last === undefined ? null : otherKindText(last);
}
