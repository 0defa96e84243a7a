import type { ActionDefinition } from '../../domain/actions.ts';
import { PROVIDER_ORIGINS } from '../../domain/adapters/provider-origins.ts';
import type { Adapter } from './adapter.ts';
import { createGithubIssueCommentAdapter } from './github-issue-comment/github-issue-comment-adapter.ts';
import { createHttpRequestAdapter } from './http-request/http-request-adapter.ts';
import { sendRequest, type SendOptions, type SendRequest } from './http-request/send-request.ts';
import { createResendEmailAdapter } from './resend-email/resend-email-adapter.ts';
import { createStripeRefundAdapter } from './stripe-refund/stripe-refund-adapter.ts';

export interface AdapterOptions extends SendOptions {
  stripeBaseUrl?: string;
  resendBaseUrl?: string;
}

/** Finds an adapter by the type and version that an action version names; throws where neither is built in. */
export type AdapterFor = (named: Pick<ActionDefinition['adapter'], 'type' | 'version'>) => Adapter;

export function createAdapters(options: AdapterOptions): AdapterFor {
  const { stripe, resend } = PROVIDER_ORIGINS;
  const { stripeBaseUrl = stripe, resendBaseUrl = resend, ...sending } = options;
  const adapters: readonly Adapter[] = [
    createHttpRequestAdapter(sending),
    createStripeRefundAdapter({ ...sending, baseUrl: stripeBaseUrl }),
    createResendEmailAdapter({ ...sending, baseUrl: resendBaseUrl }),
    createGithubIssueCommentAdapter(sending),
  ];
  return ({ type, version }) => {
    const found = adapters.find(({ descriptor }) => descriptor.type === type && descriptor.version === version);
    if (found === undefined) throw new Error(`no adapter ${type} of version ${version}`);
    return found;
  };
}

/** Sends the deliveries of messages through the same guard, with one connection for each request. */
export function createSender(options: SendOptions): SendRequest {
  return (request, limit, limits) => sendRequest(options, request, limit, limits);
}
