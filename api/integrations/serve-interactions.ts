import { ServiceError } from '../../domain/errors.ts';
import { discordOutcome, discordPong, discordWhisper } from '../../domain/integrations/discord-message.ts';
import { type ChatProvider, integrationIdOf } from '../../domain/integrations/integrations.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { HttpContext, HttpMiddleware } from '../http/context.ts';
import { describeFailure } from '../../domain/failures.ts';
import { readBytes } from '../http/bodies.ts';
import { pass as passGates, type RouteRunner } from '../http/route-runner.ts';
import { type Click, clickOfDiscord, clickOfSlack, teamOfSlack } from './clicks.ts';
import { answerSlack, findSender, isSigned, type Sender, takeClick, type Taken, tellDecided } from './take-click.ts';

/** A Slack click includes its message, at most two thirds of this (domain/integrations/slack-message.ts). */
const BODY_BYTES_MAX = 64 * 1024;
const PATH = /^\/api\/v2\/integrations\/(slack|discord)\/([0-9A-Za-z_-]{1,100})\/interactions$/;
const HEADERS: Record<ChatProvider, { timestamp: string; signature: string }> = {
  slack: { timestamp: 'X-Slack-Request-Timestamp', signature: 'X-Slack-Signature' },
  discord: { timestamp: 'X-Signature-Timestamp', signature: 'X-Signature-Ed25519' },
};

export function isInteractionsPath(path: string): boolean {
  return PATH.test(path);
}

/**
 * Endpoints for clicks of Slack and Discord. They are no API routes: the credential is a signature over the raw body, and request and reply
 * have the chat system's form.
 */
export function serveInteractions({ deps, gates }: Pick<RouteRunner, 'deps' | 'gates'>): HttpMiddleware {
  return async (ctx, next) => {
    const [, provider, named = ''] = PATH.exec(ctx.path) ?? [];
    const integrationId = integrationIdOf(named);
    if (provider === undefined || integrationId === null || ctx.method !== 'POST') return next();
    const { timestamp, signature } = HEADERS[provider as ChatProvider];
    const signed = { timestamp: ctx.get(timestamp), signature: ctx.get(signature), now: new Date() };
    const sender = await findSender(deps, { provider: provider as ChatProvider, integrationId, signed });
    if (sender === null) {
      // Does not wait for the rest of the body.
      ctx.set('Connection', 'close');
      throw notSigned();
    }
    const body = await readBytes(ctx.req, BODY_BYTES_MAX);
    // Does not reveal whether the integration exists.
    if (!isSigned(deps, sender, { ...signed, body })) throw notSigned();
    ctx.set('Cache-Control', 'no-store');
    // Everybody with the app's secret can sign clicks, so clicks count against the workspace's rate limit.
    const pass = (): Promise<void> => passGates(gates, { ctx, caller: null, workspaceId: sender.tenant.workspaceId });
    if (provider === 'discord') return fromDiscord(deps, ctx, sender, body, pass);
    // Slack reads text only at the `response_url`, one call a click; a 429 makes it report a failure.
    await pass();
    return fromSlack(deps, ctx, sender, body);
  };
}

function notSigned(): ServiceError {
  return new ServiceError('AUTHENTICATION_ERROR', { message: 'The signature of this request does not hold.' });
}

/** Slack waits three seconds for the 200, and reads the answer at its `response_url`. */
async function fromSlack(deps: ApiDependencies, ctx: HttpContext, sender: Sender, body: Buffer): Promise<void> {
  const payload = jsonOf(new URLSearchParams(body.toString('utf8')).get('payload') ?? '');
  const click = clickOfSlack(payload);
  ctx.status = 200;
  ctx.body = '';
  if (click === null) return; // the link to the page, which a browser follows
  if (teamOfSlack(payload) !== sender.integration.account.id) {
    const text = 'Nothing was decided: this integration is of another Slack workspace. Use the page.';
    return answerSlack(deps, sender, click, { text, ends: false });
  }
  const taken = await take(deps, ctx, sender, click, body);
  await Promise.all([tellDecided(deps, sender, taken), answerSlack(deps, sender, click, taken.answer)]);
}

async function fromDiscord(
  deps: ApiDependencies,
  ctx: HttpContext,
  sender: Sender,
  body: Buffer,
  pass: () => Promise<void>,
): Promise<void> {
  const payload = jsonOf(body.toString('utf8'));
  // Discord drops an address that does not answer its PING.
  if (payload['type'] === 1) return send(ctx, discordPong());
  try {
    await pass();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'RATE_LIMIT_EXCEEDED') throw error;
    return send(ctx, discordWhisper(`Nothing was decided. ${error.publicMessage}`));
  }
  const click = clickOfDiscord(payload, sender.integration.applicationId);
  if (click === null) {
    throw new ServiceError('VALIDATION_ERROR', { message: 'This is no click on a button of ours.' });
  }
  const taken = await take(deps, ctx, sender, click, body);
  await tellDecided(deps, sender, taken);
  const { text, ends } = taken.answer;
  send(ctx, ends ? discordOutcome(text) : discordWhisper(text));
}

async function take(
  deps: ApiDependencies,
  ctx: HttpContext,
  sender: Sender,
  click: Click,
  body: Buffer,
): Promise<Taken> {
  try {
    return await takeClick(deps, sender, click, { body, requestId: ctx.state.requestId });
  } catch (error) {
    const context = { requestId: ctx.state.requestId, integrationId: sender.integration.id };
    deps.logger.error({ ...context, failure: describeFailure(error) }, 'a click could not be taken');
    const text = 'This did not work now. Click again in a moment: nothing is decided twice.';
    return { answer: { text, ends: false } };
  }
}

function send(ctx: HttpContext, body: object): void {
  ctx.status = 200;
  ctx.type = 'application/json';
  ctx.body = JSON.stringify(body);
}

function jsonOf(text: string): JsonObject {
  try {
    const parsed = JSON.parse(text) as unknown;
    if (isJsonObject(parsed)) return parsed;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new ServiceError('VALIDATION_ERROR', { message: 'The body is no interaction.' });
}
