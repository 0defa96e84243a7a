import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ErrorCode, ServiceError } from '../../domain/errors.ts';
import { touchedIds } from '../../domain/touched-ids.ts';
import { RequestAbortedError } from '../http/client-gone.ts';
import { type ErrorBody, errorBody } from '../http/replies.ts';
import { logFailure, missingMessage, toServiceError } from '../http/failures.ts';
import type { Exchange } from './exchange.ts';

/** The first code that JSON-RPC leaves to servers. */
const SERVER_ERROR = -32_000;
const MISTAKES_OF_THE_CALLER: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['VALIDATION_ERROR', 'NOT_FOUND']);

/** The REST API's error body. Logs what the log has to know. */
export function errorBodyOf({ ctx, runner }: Exchange, error: ServiceError): ErrorBody {
  const { state } = ctx;
  state.touched = { ...state.touched, ...touchedIds(error.details, error.touched) };
  logFailure(runner.deps.logger, error, { requestId: state.requestId, route: state.route?.id, ...state.touched });
  const message = error.missing === undefined ? null : missingMessage(error.missing, state.caller);
  return errorBody(error, state.requestId, message ?? error.publicMessage);
}

/**
 * Runs the handler of a JSON-RPC request. Errors reach the client with our code, message and details; the package would send any error's
 * message unchanged.
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

export function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
