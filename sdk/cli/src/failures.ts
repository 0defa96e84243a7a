import {
  ApiError,
  ConnectionError,
  SdkError,
  UnexpectedReplyError,
  WaitInterruptedError,
} from 'agent-action-runtime-sdk';
import { EXIT, InterruptedError, UnansweredInvokeError, UsageError, type ExitCode } from './exit.ts';
import { plain, type Terminal } from './terminal.ts';

interface Issue {
  path: string;
  message: string;
}

/** Says why a command failed and what to do next. Never a stack trace, and never a key. */
export function reportFailure(failure: unknown, terminal: Terminal, isJson: boolean): ExitCode {
  const { exit, next } = judged(failure);
  const isUnanswered = failure instanceof UnansweredInvokeError;
  const error = isUnanswered ? failure.cause : failure;
  const message = error instanceof Error ? error.message : 'It failed.';
  if (isJson) {
    const { code, status, requestId, details } = error as Partial<ApiError>;
    const { idempotencyKey } = (isUnanswered ? failure : error) as Partial<ApiError>;
    const type = error instanceof Error ? error.name : 'Error';
    terminal.printError(
      JSON.stringify({
        error: { type, message, code, status, requestId, details, idempotencyKey },
        nextStep: next,
        exitCode: exit,
      }),
    );
    return exit;
  }
  const coded = error instanceof ApiError ? ` (${error.code}, request ${error.requestId ?? 'unknown'})` : '';
  terminal.printError(
    [`${plain(message)}${coded}`, ...issuesOf(error), ...(next === null ? [] : [`Next: ${next}`])].join('\n'),
  );
  return exit;
}

function judged(error: unknown): { exit: ExitCode; next: string | null } {
  if (error instanceof UsageError || isRefusedHere(error)) return { exit: EXIT.usage, next: null };
  if (error instanceof WaitInterruptedError)
    return { exit: EXIT.waiting, next: `agent-actions logs --invocation ${error.invocation.id}` };
  if (error instanceof UnansweredInvokeError) return { exit: EXIT.noReply, next: afterNoAnswer(error) };
  if (error instanceof InterruptedError) return { exit: EXIT.waiting, next: 'run the command again' };
  if (error instanceof ConnectionError)
    return {
      exit: EXIT.noReply,
      next: 'see whether the service runs and the address is right, and run the command again',
    };
  if (error instanceof ApiError) return { exit: EXIT.notOk, next: NEXT_STEPS[error.code] ?? null };
  if (error instanceof SdkError) return { exit: EXIT.notOk, next: 'see whether the address is that of the service' };
  throw error;
}

/** By the SDK, for an argument that no request can carry, or by the operating system, for a file. Nothing was asked. */
function isRefusedHere(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && 'syscall' in error);
}

function afterNoAnswer({ idempotencyKey, cause }: UnansweredInvokeError): string {
  const address = cause instanceof UnexpectedReplyError ? 'see whether the address is that of the service. ' : '';
  return `${address}It may have arrived. To find out without doing it twice, run the same command with --idempotency-key ${idempotencyKey}`;
}

const NEXT_STEPS: Readonly<Record<string, string>> = {
  AUTHENTICATION_ERROR: 'agent-actions login, with a key that is valid',
  AUTHORIZATION_ERROR: 'use a key with that scope: scopes of a key never change',
  PLAN_STALE: 'run plan again, look at it, and apply that one',
  RATE_LIMIT_EXCEEDED: 'wait a minute',
  PREVIEW_EXPIRED: 'make a new preview',
  PREVIEW_MISMATCH: 'make a new preview',
};

function issuesOf(error: unknown): string[] {
  const issues = error instanceof ApiError ? error.details?.['issues'] : undefined;
  return Array.isArray(issues) ? (issues as Issue[]).map(({ path, message }) => plain(`  ${path} ${message}`)) : [];
}
