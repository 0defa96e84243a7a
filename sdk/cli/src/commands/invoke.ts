import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ApiError, ConnectionError, UnexpectedReplyError, type Input, type Invocation } from 'agent-action-runtime-sdk';
import { EXIT, InterruptedError, UnansweredInvokeError, UsageError, type ExitCode } from '../exit.ts';
import { parseExactJson } from '../exact-json.ts';
import { describeDryRun, DRY_RUN_EXIT } from '../dry-run-report.ts';
import { clientOf, commandLine, definedOf, type CommonOptions } from '../session.ts';
import { plain, type Terminal } from '../terminal.ts';

export interface InvokeCommandOptions extends CommonOptions {
  input?: string;
  inputFile?: string;
  operationKey?: string;
  idempotencyKey?: string;
  preview?: string;
  retryOf?: string;
  agent?: string;
  wait: number;
  dryRun?: boolean;
}

export async function invoke(action: string, options: InvokeCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const input = await readInput(options, terminal);
  const client = clientOf(options, terminal);
  const named = definedOf({
    operationKey: options.operationKey,
    previewId: options.preview,
    retryOf: options.retryOf,
    agentId: options.agent,
  });
  if (options.dryRun === true) {
    const would = await client.dryRun(action, input, named);
    terminal.print(options.json === true ? JSON.stringify(would) : plain(describeDryRun(would)));
    return DRY_RUN_EXIT[would.next];
  }
  const { idempotencyKey = randomUUID().replaceAll('-', ''), wait } = options;
  const { signal } = terminal;
  let invocation: Invocation;
  try {
    invocation = await client.invoke(action, input, { ...named, idempotencyKey, wait, signal });
  } catch (error) {
    throw isUnanswered(error) ? new UnansweredInvokeError(idempotencyKey, error) : error;
  }
  terminal.print(options.json === true ? JSON.stringify(invocation) : describeInvocation(invocation, options));
  return exitOf(invocation.status);
}

/** Errors of the service that do not say whether the request, or an earlier try of it, was admitted. */
const UNANSWERING = new Set(['SERVICE_UNAVAILABLE', 'INTERNAL_ERROR', 'idempotency_request_in_progress']);

/** Whether nobody knows if the invocation was admitted. A new key would invoke it a second time. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof ApiError) return UNANSWERING.has(error.code);
  return [ConnectionError, UnexpectedReplyError, InterruptedError].some((type) => error instanceof type);
}

export function exitOf(status: Invocation['status']): ExitCode {
  switch (status) {
    case 'succeeded':
      return EXIT.ok;
    case 'unknown':
      return EXIT.unknown;
    case 'queued':
    case 'dispatching':
    case 'pending_approval':
      return EXIT.waiting;
    case 'failed':
    case 'refused':
    case 'denied':
    case 'expired':
    case 'cancelled':
      return EXIT.notOk;
    default:
      return EXIT.unknown; // a status of a newer service: nothing is known of it
  }
}

export function describeInvocation(invocation: Invocation, options: CommonOptions): string {
  const { id, status, grade, action, effectId, approvalId, operationKey, error, refusal, result } = invocation;
  const lines = [
    `${status.toUpperCase()} (${grade})  ${plain(action.name)}  ${id}`,
    `operation key  ${plain(operationKey)}`,
    ...(effectId === null ? [] : [`receipt        ${commandLine(options, `effects show ${effectId}`)}`]),
    ...(approvalId === null ? [] : [`approval       ${approvalId}`]),
    ...(error === null ? [] : [`error          ${plain(error)}`]),
    ...(refusal === null ? [] : [`refusal        ${refusal.code}`]),
    ...(result === null ? [] : [`answer         ${result.status} ${plain(JSON.stringify(result.body)).slice(0, 500)}`]),
  ];
  const next = nextStepOf(invocation, options);
  return [...lines, ...(next === null ? [] : [`Next: ${plain(next)}`])].join('\n');
}

/** The service's next step, with commands in place of routes. */
function nextStepOf({ id, status, effectId, approvalId, nextStep }: Invocation, options: CommonOptions): string | null {
  const waitFor = commandLine(options, `logs --invocation ${id} --wait 3600`);
  switch (status) {
    case 'pending_approval':
      // Not by this login: who asked cannot agree, unless the policy lets them.
      return `somebody else decides it: agent-actions approvals approve ${approvalId}, with another key. To wait for the end: ${waitFor}`;
    case 'queued':
    case 'dispatching':
      return `it is under way, do not invoke it again. To wait for the end: ${waitFor}`;
    case 'unknown':
      return effectId === null
        ? `do not run it again. Look it up at the target, and record what you found, with another key: agent-actions effects resolve ${id} --outcome <succeeded|failed> --summary <how you know>`
        : `do not run it again: the service reads the provider. What is known: ${commandLine(options, `effects show ${effectId}`)}`;
    default:
      return nextStep;
  }
}

async function readInput({ input, inputFile }: InvokeCommandOptions, terminal: Terminal): Promise<Input> {
  if (input !== undefined && inputFile !== undefined) throw new UsageError('Give --input or --input-file, not both.');
  const text =
    inputFile === undefined ? (input ?? '{}') : inputFile === '-' ? await terminal.readInput() : readText(inputFile);
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    throw new UsageError(`The input is no JSON that can be sent: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError('The input is a JSON object.');
  return value as Input;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`, {
      cause: error,
    });
  }
}
