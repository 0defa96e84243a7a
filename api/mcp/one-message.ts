import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { ServiceError } from '../../domain/errors.ts';
import { parseJsonBytes } from '../http/bodies.ts';

export interface MessageRefusal {
  code: number;
  message: string;
}

/** Returns the one message of a body. Refuses batches: the protocol dropped them, and a thousand messages would count once for a limit. */
export function oneMessage(bytes: Uint8Array): { parsed: unknown } | { refusal: MessageRefusal } {
  let parsed: unknown;
  try {
    parsed = parseJsonBytes(bytes);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { refusal: { code: ProtocolErrorCode.ParseError, message: `Parse error: ${error.publicMessage}` } };
  }
  if (!Array.isArray(parsed)) return { parsed };
  const message = 'Send one message in each request: batches are not taken.';
  return { refusal: { code: ProtocolErrorCode.InvalidRequest, message } };
}
