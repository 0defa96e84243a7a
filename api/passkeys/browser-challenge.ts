import type { IncomingMessage } from 'node:http';
import { CHALLENGE_SECONDS } from '../../db/passkeys/challenges.ts';
import type { LinkSigner } from '../../db/secrets/vault.ts';
import type { Browser } from '../http/define-route.ts';
import { cookieIn } from '../http/sessions.ts';

/**
 * A challenge before anybody is known: the browser keeps it in a cookie that we have signed, so that a request of a stranger stores nothing.
 * Another site reads no cookie of ours, so an answer counts in the browser that was asked.
 */
export interface BrowserChallenge {
  challenge: string;
  at: Date;
}

const PURPOSE = 'passkey sign-in';
const NAME = 'service-passkey';

/** A Set-Cookie for the browser that asks. */
export function challengeCookie(links: LinkSigner, asked: BrowserChallenge, { secureCookie }: Browser): string {
  const { challenge, at } = asked;
  const value = [at.getTime(), challenge, links.sign(PURPOSE, textOf(asked))].join('~');
  const parts = [`${nameOf(secureCookie)}=${value}`, 'Path=/', `Max-Age=${CHALLENGE_SECONDS}`, 'HttpOnly'];
  return [...parts, 'SameSite=Strict', ...(secureCookie ? ['Secure'] : [])].join('; ');
}

/** The open challenge of the browser. Returns null where it has none, it is too old, or it is not ours. */
export function readChallenge(
  links: LinkSigner,
  { headers }: IncomingMessage,
  { secureCookie }: Browser,
): BrowserChallenge | null {
  const [time = '', challenge = '', signature = ''] =
    cookieIn(headers.cookie ?? '', nameOf(secureCookie))?.split('~') ?? [];
  const at = new Date(Number(time));
  if (Number.isNaN(at.getTime())) return null;
  const asked = { challenge, at };
  if (!links.verify(PURPOSE, textOf(asked), signature)) return null;
  return Date.now() - at.getTime() > CHALLENGE_SECONDS * 1_000 ? null : asked;
}

const nameOf = (isSecure: boolean): string => (isSecure ? `__Host-${NAME}` : NAME);

const textOf = ({ challenge, at }: BrowserChallenge): string => [at.getTime(), challenge].join('\n');
