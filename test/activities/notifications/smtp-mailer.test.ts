import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { createSmtpMailer } from '../../../activities/adapters/mail/smtp-mailer.ts';
import type { MailResult } from '../../../domain/notifications/mailer.ts';
import type { SmtpSettings } from '../../../domain/notifications/smtp-settings.ts';
import { type Behaviour, LOGIN, startMailbox } from '../../harness/mail/test-mailbox.ts';

/** What a mail server's behaviour proves: only what it certainly did not take may be sent again. */
const MAIL = {
  id: 'eml_1',
  to: 'ops@customer.example',
  subject: 'Grüße: it is 5 o’clock',
  text: 'Line one.\n\nÄnd line three.\n',
};
const FROM = 'runtime@agents.example';

const mailbox = await startMailbox();
afterAll(() => mailbox.close());

function send(overrides: Partial<SmtpSettings> = {}, options: { timeoutMs?: number } = {}): Promise<MailResult> {
  const { ca, ...settings } = mailbox.settings;
  return createSmtpMailer({ ...settings, from: FROM, ...overrides }, { ca, ...options }).send(MAIL);
}

test('a mail arrives as it was composed, over TLS, from a signed-in sender, under a Message-ID of its own', async () => {
  expect(await send()).toEqual({ kind: 'accepted' });
  const [mail] = mailbox.mails;
  expect(mail).toMatchObject({ from: FROM, to: MAIL.to, secure: true, user: LOGIN.user, text: MAIL.text });
  expect(mail?.headers.get('message-id')).toBe('<eml_1@agents.example>');
  expect(mail?.headers.get('auto-submitted')).toBe('auto-generated');
});

const CASES: [Behaviour, MailResult['kind'], number][] = [
  ['accept', 'accepted', 1],
  ['reject sender', 'deferred', 0],
  ['reject recipient', 'rejected', 0],
  ['defer recipient', 'deferred', 0],
  ['reject message', 'rejected', 0],
  ['defer message', 'deferred', 0],
  ['hang up before', 'deferred', 0],
  ['hang up after', 'unknown', 1],
];

test.each(CASES)('a server that does "%s" leaves it %s', async (behaviour, kind, taken) => {
  const before = mailbox.mails.length;
  mailbox.next(behaviour);
  const result = await send();
  expect(result).toMatchObject({ kind });
  expect(mailbox.mails).toHaveLength(before + taken);
  // The reason is ours: no word of the server, of the mail or of the login.
  expect(JSON.stringify(result)).not.toMatch(/no such mailbox|verified|spam|disk|customer|correct horse/);
});

describe('nothing is sent, and it may be tried again,', () => {
  test('where the login is wrong', async () => {
    const login = { ...LOGIN, password: 'wrong horse' };
    const result = await send({ login });
    expect(result).toEqual({ kind: 'deferred', reason: expect.stringContaining('535') as string });
    expect(JSON.stringify(result)).not.toContain('horse');
  });

  test('where the server refuses DATA, before it has read a line of the message', async () => {
    const server = await listen((socket) => {
      socket.write('220 here\r\n');
      socket.on('data', (chunk) => {
        const isData = chunk.toString().startsWith('DATA');
        socket.write(isData ? '554 no transactions here\r\n' : '250 fine\r\n');
      });
    });
    const { port } = server.address() as AddressInfo;
    const result = await send({ port, tls: 'off', login: null });
    expect(result).toEqual({ kind: 'deferred', reason: 'the mail server answered 554 (DATA)' });
    await closed(server);
  });

  test('where the certificate is of nobody that is trusted', async () => {
    const { ca: _, ...settings } = mailbox.settings;
    expect(await createSmtpMailer({ ...settings, from: FROM }).send(MAIL)).toMatchObject({ kind: 'deferred' });
  });

  test('where nobody listens', async () => {
    const server = await listen(() => undefined);
    const { port } = server.address() as AddressInfo;
    await closed(server);
    expect(await send({ port })).toMatchObject({ kind: 'deferred' });
  });

  test('where the server never greets', async () => {
    const server = await listen(() => undefined);
    const { port } = server.address() as AddressInfo;
    expect(await send({ port }, { timeoutMs: 200 })).toMatchObject({ kind: 'deferred' });
    await closed(server);
  });

  test('where the server offers no STARTTLS: neither the login nor the mail is sent in clear', async () => {
    const heard: string[] = [];
    const server = await listen((socket) => {
      socket.write('220 here\r\n');
      socket.on('data', (chunk) => {
        const line = chunk.toString();
        heard.push(line);
        socket.write(line.startsWith('EHLO') ? '250-here\r\n250 AUTH PLAIN LOGIN\r\n' : '502 not implemented\r\n');
      });
    });
    const { port } = server.address() as AddressInfo;
    expect(await send({ port })).toMatchObject({ kind: 'deferred' });
    expect(heard.join('')).not.toMatch(/AUTH|MAIL/);
    await closed(server);
  });
});

const sockets = new Set<Socket>();

async function listen(serve: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function closed(server: Server): Promise<void> {
  for (const socket of sockets) socket.destroy();
  return new Promise((resolve) => server.close(() => resolve()));
}
