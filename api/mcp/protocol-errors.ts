import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ErrorCode, ServiceError } from '../../domain/errors.ts';
import { touchedIds } from '../../domain/touched-ids.ts';
import { RequestAbortedError } from '../http/client-gone.ts';
import { type ErrorBody, errorBody } from '../http/replies.ts';
import { logFailure, missingMessage, toServiceError } from '../http/failures.ts';
import type { Exchange } from './exchange.ts';

/** JSON-RPC has no code for these: -32000 is the first that it leaves to servers. */
const SERVER_ERROR = -32_000;
const MISTAKES_OF_THE_CALLER: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['VALIDATION_ERROR', 'NOT_FOUND']);

/** The error's body as the REST API sends it, with whatever the log has to know written to the log. */
export function errorBodyOf({ ctx, runner }: Exchange, error: ServiceError): ErrorBody {
  const { state } = ctx;
  state.touched = { ...state.touched, ...touchedIds(error.details, error.touched) };
  logFailure(runner.deps.logger, error, { requestId: state.requestId, route: state.route?.id, ...state.touched });
  const message = error.missing === undefined ? null : missingMessage(error.missing, state.caller);
  return errorBody(error, state.requestId, message ?? error.publicMessage);
}

/**
 * Runs the handler of a JSON-RPC request. Whatever it throws reaches the client as an error of the protocol with our code, our message and
 * our details; the package would send the message of any error as it is.
 */
export async function answering<Answer>(exchange: Exchange, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError || error instanceof RequestAbortedError) throw error;
    throw protocolErrorOf(exchange, toServiceError(error));
  }
}

function protocolErrorOf(exchange: Exchange, error: ServiceError): ProtocolError {
  const body = errorBodyOf(exchange, error);
  return new ProtocolError(codeOf(error), `${body.error.code}: ${body.error.message}`, body);
}

function codeOf({ code }: ServiceError): number {
  if (MISTAKES_OF_THE_CALLER.has(code)) return ProtocolErrorCode.InvalidParams;
  return code === 'INTERNAL_ERROR' ? ProtocolErrorCode.InternalError : SERVER_ERROR;
}

/** A mistake in the parameters of a JSON-RPC request. */
export function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
