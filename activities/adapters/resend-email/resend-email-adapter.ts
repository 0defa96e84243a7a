import type { PreparedRequest } from '../../../domain/adapters/adapter-descriptor.ts';
import { PROVIDER_ORIGINS } from '../../../domain/adapters/provider-origins.ts';
import { USER_AGENT } from '../../../domain/product.ts';
import { judgeEmailRecord, judgeEmailReply, sentEmailId } from '../../../domain/adapters/resend-email-judgement.ts';
import { resendConfigOf, resendEmailDescriptor } from '../../../domain/adapters/resend-email.ts';
import type { Adapter, DispatchInput, DispatchResult, ReadBackInput, ReadBackResult } from '../adapter.ts';
import { callProvider, dispatchResult, type ProviderOptions } from '../call-provider.ts';

export function createResendEmailAdapter(options: ProviderOptions): Adapter {
  return {
    descriptor: resendEmailDescriptor,
    dispatch: (input) => dispatch(options, input),
    readBack: (input) => readBack(options, input),
  };
}

async function dispatch(options: ProviderOptions, input: DispatchInput): Promise<DispatchResult> {
  const { request, secrets, kind = 'dispatch' } = input;
  const called = await callProvider(options, request, secrets, input);
  return dispatchResult('Resend', called, (response) => {
    const id = sentEmailId(response);
    const named = id === null ? {} : { email: id };
    return { ...judgeEmailReply(response, kind), providerReference: id, providerIds: named };
  });
}

/** Reads the email by its id. A send-only credential cannot read: the effect then stays acknowledged. */
async function readBack(options: ProviderOptions, input: ReadBackInput): Promise<ReadBackResult> {
  const id = input.response === null ? null : sentEmailId(input.response);
  if (id === null) return { kind: 'unreadable', summary: 'Resend gave no id to read the email by' };
  const credential = input.secrets.get(resendConfigOf(input.definition).secret) ?? '';
  const request: PreparedRequest = {
    method: 'GET',
    url: `${PROVIDER_ORIGINS.resend}/emails/${encodeURIComponent(id)}`,
    headers: { Accept: 'application/json', Authorization: `Bearer ${credential}`, 'User-Agent': USER_AGENT },
    body: null,
    bodyEncoding: 'utf8',
  };
  const called = await callProvider(options, request, input.secrets, input);
  if (called.kind !== 'response') {
    return { kind: 'inconclusive', summary: `the email could not be read: ${called.reason}`, response: null };
  }
  const { response, unreadable } = called;
  const answered = `reading the email, Resend answered ${response.status}`;
  if (response.status === 401 || response.status === 403) {
    return { kind: 'unreadable', summary: `${answered}: the credential may not read` };
  }
  if (response.status === 404) return { kind: 'absent', summary: answered, response };
  const judged = response.status === 200 && unreadable === null ? judgeEmailRecord(response.body, id) : null;
  if (judged === null) return { kind: 'inconclusive', summary: answered, response };
  return { kind: 'matched', ...judged, response, providerReference: id };
}
