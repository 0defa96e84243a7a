import { z } from 'zod';
import type { ChatLink } from '../../db/integrations/chat.ts';
import type { IntegrationRecord } from '../../db/integrations/integrations.ts';
import {
  CHAT_PROVIDERS,
  INTEGRATION_NAME_CHARACTERS_MAX,
  integrationIdOf,
} from '../../domain/integrations/integrations.ts';

const integrationId = z
  .string()
  .max(100)
  .meta({ format: 'uuid' })
  .transform((text, context) => {
    const id = integrationIdOf(text);
    if (id !== null) return id;
    context.addIssue({ code: 'custom', message: 'must be the UUID of an integration' });
    return z.NEVER;
  });

export const integrationParams = z.strictObject({ id: integrationId });

const name = z.string().trim().min(1).max(INTEGRATION_NAME_CHARACTERS_MAX);
const named = z.strictObject({ id: z.string(), name: z.string() });

export const integrationSchema = z
  .strictObject({
    id: z.uuid(),
    provider: z.enum(CHAT_PROVIDERS),
    name: z.string(),
    isActive: z.boolean().describe('Approvals are posted, and clicks decide.'),
    account: named.describe('The Slack workspace, or the Discord webhook.'),
    channel: named.nullable().describe('Where approvals are posted. Null: no Slack channel was chosen yet.'),
    buttons: z.boolean().describe('Messages have buttons that decide, because their clicks can be verified.'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Integration' });

export const connectDiscordBody = z
  .strictObject({
    name: name.optional().describe("By default the webhook's own."),
    webhookUrl: z.string().max(500).describe('https://discord.com/api/webhooks/{id}/{token}. Sealed; never shown.'),
    publicKey: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/)
      .optional()
      .describe('That of the Discord application that owns the webhook: with it, messages have buttons that decide.'),
  })
  .meta({ id: 'DiscordConnection' });

export const connectSlackBody = z
  .strictObject({
    name: name.optional().describe("By default the Slack workspace's own."),
    botToken: z
      .string()
      .regex(/^xoxb-[\w-]{10,250}$/, 'must be a bot token (xoxb-…)')
      .describe('With the scopes `chat:write`, `channels:read` and `groups:read`. Sealed; never shown.'),
    signingSecret: z
      .string()
      .regex(/^[0-9a-zA-Z]{16,128}$/)
      .optional()
      .describe('That of the Slack app: with it, messages have buttons that decide. Sealed; never shown.'),
  })
  .meta({ id: 'SlackConnection' });

export const sentSchema = z.strictObject({ message: z.string() }).meta({ id: 'TestMessageSent' });

export const slackChannelSchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    isPrivate: z.boolean(),
    isMember: z.boolean().describe('The bot is in it. Invite it to a channel that it is to post to.'),
  })
  .meta({ id: 'SlackChannel' });

export const slackChannelsSchema = z
  .strictObject({
    channels: z.array(slackChannelSchema),
    truncated: z.boolean().describe('There are more: choose by the id that Slack shows in the details of a channel.'),
  })
  .meta({ id: 'SlackChannels' });

export const setChannelBody = z.strictObject({
  channelId: z
    .string()
    .regex(/^[CG][0-9A-Z]{5,30}$/)
    .describe("Slack's id of the channel, such as C0123456789."),
});

export const toggleBody = z.strictObject({ isActive: z.boolean() });
export const toggledSchema = z
  .strictObject({ message: z.string(), isActive: z.boolean() })
  .meta({ id: 'IntegrationToggled' });

export const linksParams = z.strictObject({ workspaceId: z.string().min(1).max(100), environmentId: z.uuid() });
export const linkParams = linksParams.extend({ integrationId });

export const linkBody = z
  .strictObject({ code: z.string().min(1).max(100).describe('As the chat showed it to you, and to nobody else.') })
  .meta({ id: 'ChatLinkRequest' });

export const chatLinkSchema = z
  .strictObject({
    integrationId: z.uuid(),
    chatUser: named.describe('Who you are in this chat: the clicks of this user are yours from now on.'),
    linkedAt: z.iso.datetime(),
  })
  .meta({ id: 'ChatLink' });

export const unlinkedSchema = z
  .strictObject({ unlinked: z.array(z.string()).describe('The chat users that you were.') })
  .meta({ id: 'ChatUnlinked' });

export function presentIntegration(integration: IntegrationRecord): z.input<typeof integrationSchema> {
  const { takesClicks, createdAt, updatedAt, ...shown } = integration;
  return { ...shown, buttons: takesClicks, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

export function presentChatLink({ linkedAt, ...link }: ChatLink): z.input<typeof chatLinkSchema> {
  return { ...link, linkedAt: linkedAt.toISOString() };
}
