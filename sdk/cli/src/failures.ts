import {
  ApiError,
  ConnectionError,
  SdkError,
  UnexpectedReplyError,
  WaitInterruptedError,
} from 'agent-action-runtime-sdk';
import {
  EXIT,
  InterruptedError,
  UnansweredChangeError,
  UnansweredInvokeError,
  UsageError,
  type ExitCode,
} from './exit.ts';
import { commandLine, type Login } from './session.ts';
import { plain, type Terminal } from './terminal.ts';

interface Issue {
  path: string;
  message: string;
}

/** Prints the reason and the next step. Never a stack trace or a key. */
export function reportFailure(failure: unknown, terminal: Terminal, isJson: boolean, login: Login = {}): ExitCode {
  const { exit, next } = judged(failure, terminal, login);
  const isUnanswered = failure instanceof UnansweredInvokeError || failure instanceof UnansweredChangeError;
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

function judged(error: unknown, { env }: Pick<Terminal, 'env'>, login: Login): { exit: ExitCode; next: string | null } {
  if (error instanceof UsageError || isRefusedHere(error)) return { exit: EXIT.usage, next: null };
  if (error instanceof WaitInterruptedError)
    return { exit: EXIT.waiting, next: commandLine(login, `logs --invocation ${error.invocation.id}`) };
  if (error instanceof UnansweredInvokeError) return { exit: EXIT.noReply, next: afterNoAnswer(error) };
  if (error instanceof UnansweredChangeError)
    return { exit: EXIT.noReply, next: `see whether it was done before you run it again: ${error.shownBy}` };
  if (error instanceof InterruptedError) return { exit: EXIT.waiting, next: 'run the command again' };
  if (error instanceof ConnectionError)
    return {
      exit: EXIT.noReply,
      next: 'see whether the service runs and the address is right, and run the command again',
    };
  if (error instanceof ApiError) return { exit: EXIT.notOk, next: afterRefusal(error, env) };
  if (error instanceof SdkError) return { exit: EXIT.notOk, next: 'see whether the address is that of the service' };
  throw error;
}

/** Refused by the SDK (an argument that no request can carry) or the operating system (a file), before any request. */
function isRefusedHere(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && 'syscall' in error);
}

function afterNoAnswer({ idempotencyKey, cause }: UnansweredInvokeError): string {
  const address = cause instanceof UnexpectedReplyError ? 'see whether the address is that of the service. ' : '';
  return `${address}It may have arrived. To find out without doing it twice, run the same command with --idempotency-key ${idempotencyKey}`;
}

/** The remedy that the service's message lacks: which command, and which login. */
function afterRefusal({ code, details, retryAfterSeconds }: ApiError, env: Terminal['env']): string | null {
  // The variable has precedence: a login would be stored and not used.
  const isFromEnvironment = (env['API_KEY'] ?? '') !== '';
  switch (code) {
    case 'AUTHENTICATION_ERROR':
      return isFromEnvironment
        ? 'API_KEY of the environment was sent: set it to a key that is valid, or unset it and run agent-actions login'
        : 'agent-actions login, with a key that is valid';
    case 'AUTHORIZATION_ERROR':
      // A scope is missing, or the caller asked or is no approver: another credential is needed in any case.
      return isFromEnvironment
        ? 'set API_KEY to another key'
        : 'use another key: agent-actions login --profile <name>, and then this command with --profile <name>';
    case 'RATE_LIMIT_EXCEEDED':
      return retryAfterSeconds === null ? 'wait a minute' : `wait ${retryAfterSeconds} seconds`;
    case 'EFFECT_RESOLUTION_REQUIRED': {
      const effectId = details?.['effectId'];
      return `the same command with ${typeof effectId === 'string' ? effectId : 'the id of its effect'}`;
    }
    case 'PLAN_STALE':
      return 'run plan again, look at it, and apply that one';
    default:
      return null;
  }
}

function issuesOf(error: unknown): string[] {
  const issues = error instanceof ApiError ? error.details?.['issues'] : undefined;
  return Array.isArray(issues) ? (issues as Issue[]).map(({ path, message }) => plain(`  ${path} ${message}`)) : [];
}
