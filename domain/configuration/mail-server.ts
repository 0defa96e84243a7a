import { z } from 'zod';
import { SMTP_TLS_MODES } from '../notifications/smtp-settings.ts';
import { addressSchema, secretSchema, textSchema } from './schemas.ts';
import type { Variable } from './variable.ts';

export const MAIL_SERVER = {
  SMTP_ADDRESS: {
    meaning:
      'Mail server for the e-mails of notifications, as host:port. It is the operator’s own, as PostgreSQL is: it may have a private address, and no action, message or import reaches it. Needs MAIL_FROM. Not set: e-mails fail, and say so.',
    default: null,
    processes: ['api', 'worker', 'embedded'],
    schema: addressSchema,
  },
  SMTP_TLS: {
    meaning:
      '`starttls`: the server must offer STARTTLS. `implicit`: TLS from the first byte (port 465). `off`: in clear, without a login. Certificates are checked; NODE_EXTRA_CA_CERTS adds an authority.',
    default: 'starttls',
    processes: ['worker', 'embedded'],
    schema: z.enum(SMTP_TLS_MODES, `must be one of ${SMTP_TLS_MODES.join(', ')}`),
  },
  SMTP_USER: {
    meaning: 'Login at the mail server, where it asks for one. Needs SMTP_PASSWORD.',
    default: null,
    processes: ['worker', 'embedded'],
    schema: textSchema,
  },
  SMTP_PASSWORD: {
    meaning: 'Its password.',
    default: null,
    processes: ['worker', 'embedded'],
    schema: secretSchema,
  },
  MAIL_FROM: {
    meaning: 'Address that e-mails are from, for example `runtime@example.com`.',
    default: null,
    processes: ['worker', 'embedded'],
    schema: z.email('must be an e-mail address'),
  },
} as const satisfies Record<string, Variable>;
