import { redact, type RedactionAnswer, type RedactionJob } from './redaction-job.ts';

/** The work of the threads of `RedactionThreads`. A buffer arrives as the plain bytes that it holds. */
export default function answerJob({ work, secrets }: RedactionJob): RedactionAnswer {
  switch (work.kind) {
    case 'response':
      return redact({ work: { ...work, raw: { ...work.raw, body: bufferOf(work.raw.body) } }, secrets });
    case 'bytes':
      return redact({ work: { ...work, body: work.body && bufferOf(work.body) }, secrets });
    case 'texts':
    case 'json':
      return redact({ work, secrets });
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
