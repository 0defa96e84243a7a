import { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer/index.js';
import type SMTPConnection from 'nodemailer/lib/smtp-connection/index.js';
import { EMAIL_TRANSFER_TIMEOUT_MS } from '../../../domain/notifications/emails.ts';
import type { Mail, Mailer, MailResult } from '../../../domain/notifications/mailer.ts';
import type { SmtpSettings } from '../../../domain/notifications/smtp-settings.ts';
import { enter, smtpConnection } from './smtp-connection.ts';

export interface SmtpMailerOptions {
  /** For the whole conversation. */
  timeoutMs?: number;
  /** PEM of a further authority. */
  ca?: string;
}

/**
 * Sends mail by SMTP, one connection a mail. It is built on nodemailer's connection and not on its transport, because the transport does
 * not tell whether the message had been asked for when a connection broke, and that decides whether it may be sent again.
 */
export function createSmtpMailer(settings: SmtpSettings, options: SmtpMailerOptions = {}): Mailer {
  return {
    async send(mail) {
      let message: Buffer;
      try {
        message = await composed(settings.from, mail);
      } catch {
        return { kind: 'rejected', reason: 'the mail cannot be composed' };
      }
      return new Conversation(settings, options).send(mail.to, message);
    },
  };
}

function composed(from: string, { id, to, subject, text }: Mail): Promise<Buffer> {
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const node = new MailComposer({
    from,
    to,
    subject,
    text,
    messageId: `<${id}@${domain}>`,
    // Nobody's out-of-office notice answers it.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  return node.build();
}

interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
}

class Conversation {
  private readonly connection: SMTPConnection;
  private readonly settings: SmtpSettings;
  private readonly timeoutMs: number;
  /** The server has asked for the message. From here on it may have all of it, whether or not its answer arrives. */
  private isHandedOver = false;

  constructor(settings: SmtpSettings, { timeoutMs = EMAIL_TRANSFER_TIMEOUT_MS, ca }: SmtpMailerOptions) {
    this.settings = settings;
    this.timeoutMs = timeoutMs;
    this.connection = smtpConnection(settings, timeoutMs, ca);
  }

  send(to: string, message: Buffer): Promise<MailResult> {
    const { connection } = this;
    return new Promise((resolve) => {
      const end = (result: MailResult): void => {
        clearTimeout(deadline);
        // The first result stands: closing the connection emits its 'end', which ends here again.
        resolve(result);
        connection.close();
      };
      const failed = (error: unknown): void => end(this.judge(error as SmtpError));
      const deadline = setTimeout(
        () => end(this.withoutAnswer('no answer within the time for an e-mail')),
        this.timeoutMs,
      );
      connection.on('error', failed);
      connection.on('end', () => end(this.withoutAnswer('the mail server closed the connection')));
      const transfer = (): void =>
        connection.send({ from: this.settings.from, to: [to] }, this.streamOf(message), (error) =>
          error === null || error === undefined ? end({ kind: 'accepted' }) : failed(error),
        );
      enter(connection, this.settings, (failure) => (failure === null ? transfer() : failed(failure)));
    });
  }

  /** It is read only once the server has answered DATA with a 354. */
  private streamOf(message: Buffer): Readable {
    const handOver = (): void => {
      this.isHandedOver = true;
    };
    return new Readable({
      read() {
        handOver();
        this.push(message);
        this.push(null);
      },
    });
  }

  /** An answer of the server decides, else whether it may have the message. The reason is written here, and never the server's. */
  private judge({ code, command, responseCode }: SmtpError): MailResult {
    if (responseCode === undefined || responseCode < 400) {
      return this.withoutAnswer(`the connection to the mail server broke (${code ?? 'no code'})`);
    }
    const reason = `the mail server answered ${responseCode} (${command ?? 'no command'})`;
    return responseCode >= 500 && isOfThisMail(code, command)
      ? { kind: 'rejected', reason }
      : { kind: 'deferred', reason };
  }

  private withoutAnswer(reason: string): MailResult {
    return this.isHandedOver ? { kind: 'unknown', reason } : { kind: 'deferred', reason };
  }
}

/**
 * Whether a refusal is about this mail, so that later attempts would meet it too: it answers the recipient, or the
 * message. A refused login, sender (530, a quota) or DATA concerns every mail, and the operator can mend it.
 */
function isOfThisMail(code: string | undefined, command: string | undefined): boolean {
  return (code === 'EENVELOPE' && command === 'RCPT TO') || code === 'EMESSAGE';
}
