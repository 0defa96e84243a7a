import { ServiceError } from '../domain/errors.ts';
import { readBodyAs } from './http/bodies.ts';
import { ingestBody } from './memory/ingest-body.ts';
import { mapTraces } from './runs/otlp/map-traces.ts';
import { upsertSpansBody } from './runs/schemas.ts';
import type { BodyAnswer, BodyJob } from './threads/body-job.ts';

export default function answerJob(job: BodyJob): BodyAnswer {
  try {
    switch (job.kind) {
      case 'spans': {
        const { body, digest } = readBodyAs(upsertSpansBody, job.bytes);
        return { kind: 'spans', text: JSON.stringify(body), digest };
      }
      case 'ingest':
        return { kind: 'ingest', ...readBodyAs(ingestBody, job.bytes) };
      case 'traces':
        return { kind: 'traces', traces: mapTraces(job) };
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, publicMessage: message, details } = error;
    return { kind: 'refused', code, message, details };
  }
}
