import type { Json } from '../../../domain/json.ts';
import type { RawResponse } from './exchange.ts';
import { keptHeaders, readResponse, type ReadResponse } from './read-response.ts';
import { createRedactor } from './redaction.ts';

/** What is kept of the answer to a delivery, whose body stays bytes. */
export interface KeptBytes {
  headers: Record<string, string>;
  body: Uint8Array | null;
}

/** One search for credentials. Pure, so it can run in a thread as well as where it is asked for. */
export type RedactionWork =
  | { kind: 'response'; raw: RawResponse }
  /** A null body is not kept. */
  | { kind: 'bytes'; headers: [string, string][]; body: Buffer | null; isCutOff: boolean }
  | { kind: 'texts'; texts: readonly string[] }
  | { kind: 'json'; value: Json };

export interface RedactionAnswers {
  response: ReadResponse;
  bytes: KeptBytes;
  texts: readonly string[];
  /** Null where it is too large to be searched. */
  json: { value: Json } | null;
}

export interface RedactionJob {
  work: RedactionWork;
  secrets: readonly string[];
}

export type RedactionAnswer = RedactionAnswers[RedactionWork['kind']];

export function redact({ work, secrets }: RedactionJob): RedactionAnswer {
  const redactor = createRedactor(secrets);
  switch (work.kind) {
    case 'response':
      return readResponse(work.raw, redactor);
    case 'bytes': {
      const body = work.body && redactor.bytes(work.body, work.isCutOff);
      return { headers: keptHeaders(work.headers, redactor), body };
    }
    case 'texts':
      return redactor.texts(work.texts);
    case 'json':
      return redactor.canSearch(JSON.stringify(work.value).length) ? { value: redactor.json(work.value) } : null;
  }
}
