import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { SmtpSettings } from '../../../domain/notifications/smtp-settings.ts';
import { SELF_SIGNED_CERTIFICATE_FILE, SELF_SIGNED_KEY_FILE } from '../target.ts';

/** A mail that the server has taken. */
export interface Captured {
  from: string;
  to: string;
  /** Whether it came over TLS, and who was signed in. */
  secure: boolean;
  user: string | null;
  headers: Map<string, string>;
  text: string;
}

/**
 * What the server does with one mail:
 *
 * - `accept`: takes it;
 * - `reject sender`: 550 to MAIL FROM;
 * - `reject recipient`, `defer recipient`: 550 or 451 to RCPT TO;
 * - `reject message`, `defer message`: 554 or 452 once it has read all of it, and does not keep it;
 * - `hang up before`: closes the connection at RCPT TO;
 * - `hang up after`: keeps it, and closes the connection before it answers.
 */
export type Behaviour =
  | 'accept'
  | 'reject sender'
  | 'reject recipient'
  | 'defer recipient'
  | 'reject message'
  | 'defer message'
  | 'hang up before'
  | 'hang up after';

export interface TestMailbox {
  settings: Omit<SmtpSettings, 'from'> & { ca: string };
  mails: Captured[];
  /** Recipients that were asked for: attempts, whatever came of them but a refused sender. */
  attempts: string[];
  /** The next mails, in turn; `accept` once the list is used up. */
  next(...behaviours: Behaviour[]): void;
  close(): Promise<void>;
}

export const LOGIN = { user: 'runtime', password: 'correct horse 4 battery' };

/** A real SMTP server with STARTTLS and a login. It keeps what it takes, and can misbehave. */
export async function startMailbox(): Promise<TestMailbox> {
  const certificate = readFileSync(SELF_SIGNED_CERTIFICATE_FILE, 'utf8');
  const key = readFileSync(SELF_SIGNED_KEY_FILE, 'utf8');
  const mails: Captured[] = [];
  const attempts: string[] = [];
  const script: Behaviour[] = [];
  /** By session: mails are sent at the same time. */
  const present = new Map<string, Behaviour>();
  const server: SMTPServer = new SMTPServer({
    key,
    cert: certificate,
    authMethods: ['PLAIN', 'LOGIN'],
    onAuth: ({ username, password }, _session, done) => {
      if (username === LOGIN.user && password === LOGIN.password) done(null, { user: username });
      else done(answering(535, 'wrong login'));
    },
    onMailFrom: (_address, session, done) => {
      const behaviour = script.shift() ?? 'accept';
      present.set(session.id, behaviour);
      if (behaviour === 'reject sender') done(answering(550, 'this sender is not verified'));
      else done();
    },
    onRcptTo: ({ address }, session, done) => {
      const behaviour = present.get(session.id);
      attempts.push(address);
      if (behaviour === 'reject recipient') done(answering(550, 'no such mailbox'));
      else if (behaviour === 'defer recipient') done(answering(451, 'try again'));
      else if (behaviour === 'hang up before') hangUp(server, session.id);
      else done();
    },
    onData: (stream, session, done) => {
      const behaviour = present.get(session.id);
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (behaviour === 'reject message') return done(answering(554, 'it looks like spam'));
        if (behaviour === 'defer message') return done(answering(452, 'the disk is full'));
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address).join(),
          secure: session.secure,
          user: session.user ?? null,
          ...parsed(Buffer.concat(chunks).toString('utf8')),
        });
        if (behaviour === 'hang up after') return hangUp(server, session.id);
        return done();
      });
    },
  } satisfies SMTPServerOptions);
  // A client that breaks a connection is part of the tests.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    settings: { host: '127.0.0.1', port, tls: 'starttls', login: LOGIN, ca: certificate },
    mails,
    attempts,
    next: (...behaviours) => void script.push(...behaviours),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

function answering(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

/** Ends the connection of this session without an answer. */
function hangUp(server: SMTPServer, sessionId: string): void {
  const connections = (server as unknown as { connections: Set<{ id: string; _socket: { destroy(): void } }> })
    .connections;
  for (const connection of connections) if (connection.id === sessionId) connection._socket.destroy();
}

/** Headers unfolded, and the text as a reader shows it. */
function parsed(raw: string): { headers: Map<string, string>; text: string } {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = raw.slice(end + 4);
  const encoding = headers.get('content-transfer-encoding');
  if (encoding === 'base64') return { headers, text: Buffer.from(body, 'base64').toString('utf8') };
  return { headers, text: (encoding === 'quoted-printable' ? unquoted(body) : body).replaceAll('\r\n', '\n') };
}

function unquoted(body: string): string {
  const joined = body.replaceAll(/=\r\n/g, '');
  const bytes = joined.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The only link of a mail. */
export function linkIn({ text }: Captured): string {
  const [link, ...others] = text.match(/^https?:\/\/\S+$/gm) ?? [];
  if (link === undefined || others.length > 0)
    throw new Error(`the mail has ${others.length + 1} links, or none: ${text}`);
  return link;
}
