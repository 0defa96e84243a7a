import type { PreparedRequest } from '../../../domain/adapters/adapter-descriptor.ts';
import { compiledOf, httpRequestDescriptor } from '../../../domain/adapters/http-request.ts';
import { judgeReadBack } from '../../../domain/reconciliation/read-back.ts';
import { judgeStatus } from '../../../domain/response-judgement.ts';
import { renderVerify } from '../../../domain/adapters/http-request-verify.ts';
import { exactInput } from '../../../domain/json-schema/exact-input.ts';
import type { Adapter, DispatchInput, DispatchResult, ReadBackInput, ReadBackResult } from '../adapter.ts';
import { providerIdsOf, readResponse } from './read-response.ts';
import { redactText } from './redaction.ts';
import { sendRequest, type SendLimits, type SendOptions, type Sent } from './send-request.ts';

/** The half of `http.request` that does I/O. How it judges: docs/adapters.md, "How the outcome is judged". */
export function createHttpRequestAdapter(options: SendOptions): Adapter {
  return {
    descriptor: httpRequestDescriptor,
    dispatch: (input) => dispatch(options, input),
    readBack: (input) => readBack(options, input),
  };
}

/** A response that is larger than the action reads proves nothing. */
function call(options: SendOptions, request: PreparedRequest, bytesMax: number, limits: SendLimits): Promise<Sent> {
  return sendRequest(options, request, { bytesMax, larger: 'no_answer' }, limits);
}

async function dispatch(options: SendOptions, input: DispatchInput): Promise<DispatchResult> {
  const { config } = compiledOf(input.definition);
  const secrets = [...input.secrets.values()];
  const called = await call(options, input.request, config.maxResponseBytes, input);
  switch (called.kind) {
    case 'blocked':
      return {
        kind: 'refused',
        refusal: { code: 'destination_blocked', message: redactText(called.message, secrets) },
      };
    case 'not_sent':
    case 'no_answer':
      return { kind: called.kind, reason: redactText(called.reason, secrets) };
    case 'response': {
      const { response, unreadable } = await readResponse(called.response, secrets);
      const judged = judgeStatus(response.status, {
        success: config.success?.statuses,
        failure: config.failure?.statuses,
      });
      const judgement = unreadable === null ? judged : ({ outcome: 'unknown', partialEffect: 'possible' } as const);
      const summary = `${config.method} answered ${response.status}${unreadable === null ? '' : `, and ${unreadable}`}`;
      return {
        kind: 'answered',
        ...judgement,
        summary,
        providerReference: null,
        providerIds: providerIdsOf(response),
        response,
      };
    }
  }
}

async function readBack(options: SendOptions, input: ReadBackInput): Promise<ReadBackResult> {
  const { definition, secrets } = input;
  if (definition.verify === null) return { kind: 'unreadable', summary: 'the action declares no read-back' };
  const { config } = compiledOf(definition);
  const rendered = renderVerify(
    definition.verify,
    {
      input: exactInput(definition.inputSchema, input.input),
      identity: input.identity,
      response: input.response,
      secrets,
    },
    config.allowedHosts,
  );
  if (rendered.kind === 'unreadable')
    return { kind: 'unreadable', summary: redactText(rendered.summary, secrets.values()) };
  const request: PreparedRequest = {
    method: 'GET',
    url: rendered.url,
    headers: rendered.headers,
    body: null,
    bodyEncoding: 'utf8',
  };
  const called = await call(options, request, config.maxResponseBytes, input);
  if (called.kind !== 'response') {
    const why = called.kind === 'blocked' ? called.message : called.reason;
    return {
      kind: 'inconclusive',
      summary: redactText(`the read-back failed: ${why}`, secrets.values()),
      response: null,
    };
  }
  const { response, unreadable } = await readResponse(called.response, secrets.values());
  if (unreadable !== null) {
    return { kind: 'inconclusive', summary: `the read-back answered ${response.status}, and ${unreadable}`, response };
  }
  const judged = judgeReadBack(rendered.lists, response);
  return judged.kind === 'matched' ? { ...judged, response, providerReference: null } : { ...judged, response };
}
