import { z } from 'zod';
import type { ActionDefinition, AdapterCapabilities } from '../actions.ts';
import type { Issue } from '../errors.ts';
import { filePlaces, inputAsAsked } from '../files/attachments.ts';
import type { DeclaredImpact } from '../impact.ts';
import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusals.ts';
import type { PreviewBlock } from './preview-block.ts';
import type { AdapterDescriptor, Preparation, PreparationInput, PreparedRequest } from './adapter-descriptor.ts';
import {
  ATTACHMENTS_SCHEMA,
  attachmentText,
  contentOf,
  EMAIL_ATTACHED_BYTES_MAX,
  type EmailAttachment,
  type EmailContent,
  filePathsOf,
} from './resend-email-attachments.ts';
import { PROVIDER_ORIGINS } from './provider-origins.ts';
import {
  inputIssues,
  issuesOfVerify,
  parseConfigWith,
  secretNameSchema,
  storedConfig,
  withBearer,
} from './provider-request.ts';
import { USER_AGENT } from '../product.ts';

/** `resend.email`: one email to one or more recipients. See docs/adapters/resend-email.md. */

const RESEND_ORIGIN = PROVIDER_ORIGINS.resend;
export const RESEND_KEY_WINDOW_SECONDS = 86_400;

const ADDRESS = '[^\\s<>@,;:"()\\[\\]\\\\]{1,64}@[^\\s<>@,;:"()\\[\\]\\\\]{1,255}';
const ADDRESS_ONLY = new RegExp(`^${ADDRESS}$`);
/** `ada@example.com` or `Ada <ada@example.com>`. Nothing that a mail header would read as a second address. */
const MAILBOX = `^(?:${ADDRESS}|[^<>@,;:"\\r\\n]{1,100}<${ADDRESS}>)$`;
const MAILBOXES_MAX = 50;

const domainSchema = z
  .string()
  .max(253)
  .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i, 'must be a domain such as example.com');
const addressSchema = z.string().max(320).regex(ADDRESS_ONLY, 'must be an address such as ada@example.com');

const configSchema = z
  .strictObject({
    domain: domainSchema,
    fromAddresses: z.array(addressSchema).min(1).max(100).optional(),
    allowedRecipients: z
      .array(z.union([addressSchema, z.string().regex(/^\*@[^\s@*]{1,253}$/, 'must be an address or *@example.com')]))
      .min(1)
      .max(1_000)
      .optional(),
    secret: secretNameSchema.default('RESEND_API_KEY'),
  })
  .superRefine(({ domain, fromAddresses }, context) => {
    for (const [index, address] of (fromAddresses ?? []).entries()) {
      if (domainOf(address) === domain.toLowerCase()) continue;
      context.addIssue({ code: 'custom', path: ['fromAddresses', index], message: `is not of the domain ${domain}` });
    }
  });

type ResendConfig = z.infer<typeof configSchema>;

const mailbox: JsonObject = { type: 'string', maxLength: 430, pattern: MAILBOX };
const mailboxes: JsonObject = {
  anyOf: [mailbox, { type: 'array', items: mailbox, minItems: 1, maxItems: MAILBOXES_MAX }],
};

const INPUT_SCHEMA: JsonObject = {
  type: 'object',
  required: ['from', 'to', 'subject'],
  properties: {
    from: mailbox,
    to: mailboxes,
    cc: mailboxes,
    bcc: mailboxes,
    reply_to: mailboxes,
    subject: { type: 'string', minLength: 1, maxLength: 998, pattern: '^[^\\r\\n]*$' },
    html: { type: 'string', maxLength: 1_000_000 },
    text: { type: 'string', maxLength: 1_000_000 },
    attachments: ATTACHMENTS_SCHEMA,
    tags: {
      type: 'array',
      maxItems: 20,
      items: {
        type: 'object',
        required: ['name', 'value'],
        properties: {
          name: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,256}$' },
          value: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,256}$' },
        },
        additionalProperties: false,
      },
    },
  },
  anyOf: [{ required: ['html'] }, { required: ['text'] }],
  additionalProperties: false,
};

type Mailboxes = string | string[];

interface ResendInput {
  from: string;
  to: Mailboxes;
  cc?: Mailboxes;
  bcc?: Mailboxes;
  subject: string;
  html?: string;
  text?: string;
  attachments?: EmailAttachment[];
}

const CAPABILITIES: AdapterCapabilities = {
  idempotent: true,
  idempotencyWindowSeconds: RESEND_KEY_WINDOW_SECONDS,
  lookup: 'by_id',
  replay: true,
  preview: true,
  reversible: false,
};

export const resendEmailDescriptor: AdapterDescriptor = {
  type: 'resend.email',
  version: '1',
  capabilitiesFor: () => CAPABILITIES,
  parseConfig: (config) => parseConfigWith(configSchema, config),
  secretNames: (definition) => [resendConfigOf(definition).secret],
  prepare,
  filePaths: (_definition, input) => filePathsOf(input),
  attachedBytesMax: EMAIL_ATTACHED_BYTES_MAX,
  readsBack: () => true,
  inspects: false,
  writes: () => true,
  alwaysGoverned: true,
  inputSchema: INPUT_SCHEMA,
  definitionIssues: issuesOfVerify,
  impactDimensions: ['emails'],
  impactOf: emailImpact,
  previewBlocks,
};

export function resendConfigOf(definition: ActionDefinition): ResendConfig {
  return storedConfig(configSchema, definition);
}

function prepare({ definition, input, identity, secrets }: PreparationInput): Preparation {
  const config = resendConfigOf(definition);
  const issues = inputIssues(INPUT_SCHEMA, inputAsAsked(input, filePlaces(input, filePathsOf(input))));
  const tooMany = issues.length > 0 ? [] : recipientIssues(input);
  if (issues.length + tooMany.length > 0) return { kind: 'invalid', issues: [...issues, ...tooMany] };
  const { from } = input as unknown as ResendInput;
  const recipients = recipientsOf(input).map(addressOf);
  const content = contentOf(input, identity);
  if (content.kind === 'invalid') return content;
  return withBearer({
    secretName: config.secret,
    secrets,
    target: {
      provider: 'resend',
      host: new URL(RESEND_ORIGIN).host,
      from: addressOf(from),
      domains: [...new Set(recipients.map(domainOf))].sort(),
    },
    refusal: refusalOf(config, addressOf(from), recipients),
    build: (authorization) => emailRequest(content, identity.effectId, authorization),
  });
}

function emailRequest({ body, bodyParts }: EmailContent, effectId: string, authorization: string): PreparedRequest {
  return {
    method: 'POST',
    url: `${RESEND_ORIGIN}/emails`,
    headers: {
      Accept: 'application/json',
      Authorization: authorization,
      'Content-Type': 'application/json',
      'Idempotency-Key': effectId,
      'User-Agent': USER_AGENT,
    },
    body,
    bodyEncoding: 'utf8',
    ...(bodyParts === undefined ? {} : { bodyParts }),
  };
}

function recipientIssues(input: JsonObject): Issue[] {
  const count = recipientsOf(input).length;
  if (count <= MAILBOXES_MAX) return [];
  return [
    { path: 'input', message: `names ${count} recipients in to, cc and bcc; at most ${MAILBOXES_MAX} are sent to` },
  ];
}

function refusalOf(config: ResendConfig, from: string, recipients: readonly string[]): Refusal | null {
  const refused = (message: string): Refusal => ({ code: 'recipient_not_allowed', message });
  if (domainOf(from) !== config.domain.toLowerCase()) return refused(`the sender ${from} is not of ${config.domain}`);
  if (config.fromAddresses !== undefined && !config.fromAddresses.some((allowed) => isSame(allowed, from))) {
    return refused(`the sender ${from} is not among the fromAddresses of the action`);
  }
  const { allowedRecipients } = config;
  const stranger = recipients.find(
    (address) =>
      allowedRecipients !== undefined &&
      !allowedRecipients.some((allowed) =>
        allowed.startsWith('*@') ? isSame(allowed.slice(2), domainOf(address)) : isSame(allowed, address),
      ),
  );
  return stranger === undefined ? null : refused(`${stranger} is not among the allowedRecipients of the action`);
}

/** Every recipient of to, cc and bcc, repeated as often as it is named: Resend sends to it that often. */
function recipientsOf(input: JsonObject): string[] {
  return ['to', 'cc', 'bcc'].flatMap((member) => listed(input[member] as Mailboxes | undefined));
}

function listed(value: Mailboxes | undefined): string[] {
  return value === undefined ? [] : [value].flat();
}

function addressOf(named: string): string {
  return /<([^<>]*)>$/.exec(named)?.[1] ?? named;
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

function isSame(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function emailImpact(_definition: ActionDefinition, input: JsonObject): DeclaredImpact {
  return { ok: true, quantities: [{ dimension: 'emails', amount: recipientsOf(input).length, bound: 'exact' }] };
}

function previewBlocks(_definition: ActionDefinition, input: JsonObject): PreviewBlock[] {
  const { from, to, cc, bcc, subject, html, text, attachments = [] } = input as unknown as ResendInput;
  const fields = [
    { label: 'From', value: from },
    { label: 'To', value: listed(to).join(', ') },
    ...(cc === undefined ? [] : [{ label: 'Cc', value: listed(cc).join(', ') }]),
    ...(bcc === undefined ? [] : [{ label: 'Bcc', value: listed(bcc).join(', ') }]),
    { label: 'Subject', value: subject },
    ...attachments.map(({ file, filename }) => ({ label: 'Attachment', value: attachmentText(file, filename) })),
  ];
  return [
    { type: 'fields', title: 'Email', fields },
    ...contentBlock('Text', text),
    ...contentBlock('HTML', html),
    {
      type: 'limitations',
      title: 'What to know of an email',
      items: [
        { kind: 'irreversible', text: 'An email that was sent cannot be called back.' },
        {
          kind: 'guarantee',
          text: 'Succeeded means that Resend took it and gave it an id, not that it was delivered. A replay is offered for 24 hours.',
        },
        { kind: 'unsupported', text: 'Without an id from Resend there is nothing to look it up by.' },
      ],
    },
  ];
}

/** Both forms are shown: the recipient's mail program chooses between them. */
function contentBlock(title: string, content: string | undefined): PreviewBlock[] {
  if (content === undefined) return [];
  return [{ type: 'text_diff', title, before: '', after: content }];
}
