import { generateKeyPairSync, sign } from 'node:crypto';
import type { JsonObject } from '../../../domain/json.ts';
import { startProvider, type ProviderReply, type ProviderServer } from './provider-server.ts';
import type { SignedClick } from './fake-slack.ts';

/**
 * A Discord with two webhooks: one of an application, which may have buttons, and a plain one, whose buttons are left out as Discord
 * does. `GET` and `POST /api/v10/webhooks/{id}/{token}`.
 */
export interface FakeDiscordMessage extends JsonObject {
  id: string;
  webhookId: string;
  components: JsonObject[];
  embeds: JsonObject[];
}

export interface FakeDiscord extends ProviderServer<never> {
  applicationId: string;
  /** 64 hexadecimal digits, as the application's page shows it. */
  publicKey: string;
  /** As a person copies it: of Discord's own address, whatever address the fake has. */
  applicationWebhook: string;
  plainWebhook: string;
  messages: FakeDiscordMessage[];
  /** The request that Discord sends for a click on the button with this label, signed now. */
  click(message: FakeDiscordMessage, label: string, user: { id: string; username: string }): SignedClick;
  /** Any interaction, signed now. */
  interaction(body: JsonObject, timestampSeconds?: number): SignedClick;
}

export async function startFakeDiscord(): Promise<FakeDiscord> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
  const applicationId = '900000000000000001';
  const token = 'FakeFakeFakeFakeFakeFake-token';
  const webhooks = new Map<string, string | null>([
    ['800000000000000001', applicationId],
    ['800000000000000002', null],
  ]);
  const messages: FakeDiscordMessage[] = [];
  let interactions = 0;

  const post = (webhookId: string, body: JsonObject): ProviderReply => {
    const owner = webhooks.get(webhookId) ?? null;
    const embeds = (body['embeds'] ?? []) as JsonObject[];
    const characters = embeds.reduce(
      (sum, { description }) => sum + (typeof description === 'string' ? description.length : 0),
      0,
    );
    if (embeds.length > 10 || characters > 6_000) return { status: 400, body: { message: 'Invalid Form Body' } };
    const rows = (body['components'] ?? []) as JsonObject[];
    const components = rows.map((row) => ({
      ...row,
      components: (row['components'] as JsonObject[]).filter(({ style }) => owner !== null || style === 5),
    }));
    const message: FakeDiscordMessage = { ...body, id: String(messages.length + 1), webhookId, embeds, components };
    messages.push(message);
    return { status: 200, body: message };
  };

  const server = await startProvider(
    {
      handle(request) {
        const [, id = '', given] = /^\/api\/v10\/webhooks\/(\d+)\/([\w-]+)$/.exec(request.path) ?? [];
        if (!webhooks.has(id) || given !== token) return { status: 404, body: { message: 'Unknown Webhook' } };
        if (request.method === 'POST') return post(id, JSON.parse(request.body) as JsonObject);
        const application_id = webhooks.get(id) ?? null;
        return { status: 200, body: { id, name: 'Approvals', channel_id: '700000000000000001', application_id } };
      },
      refusal: (status) => ({ status, body: { message: 'Discord has a bad day' }, headers: { 'retry-after': '1' } }),
    },
    (fault): fault is never => fault === '',
  );

  const interaction: FakeDiscord['interaction'] = (body, timestampSeconds = Math.floor(Date.now() / 1000)) => {
    interactions += 1;
    const text = JSON.stringify({ id: String(interactions), application_id: applicationId, version: 1, ...body });
    const signature = sign(null, Buffer.from(`${timestampSeconds}${text}`), privateKey).toString('hex');
    const headers = {
      'Content-Type': 'application/json',
      'X-Signature-Timestamp': String(timestampSeconds),
      'X-Signature-Ed25519': signature,
    };
    return { body: text, headers };
  };
  return Object.assign(server, {
    applicationId,
    publicKey: raw,
    applicationWebhook: `https://discord.com/api/webhooks/800000000000000001/${token}`,
    plainWebhook: `https://discord.com/api/webhooks/800000000000000002/${token}`,
    messages,
    interaction,
    click: (message: FakeDiscordMessage, label: string, user: { id: string; username: string }) => {
      const buttons = message.components.flatMap((row) => row['components'] as JsonObject[]);
      const found = buttons.find((button) => button['label'] === label);
      if (found === undefined) throw new Error(`the message has no button ${label}`);
      const data = { component_type: 2, custom_id: found['custom_id'] ?? null };
      return interaction({ type: 3, data, member: { user }, token: 'interaction-token' });
    },
  });
}
