import { checkSchema, compileSchema } from '../../domain/json-schema/json-schema.ts';
import type { SchemaAnswer, SchemaJob } from './schema-job.ts';

/** The work of the threads of `TenantSchemas`. Each keeps what it compiled, as long as it lives. */
export default function answerJob(job: SchemaJob): SchemaAnswer {
  return job.kind === 'check' ? checkSchema(job.schema, job.path) : compileSchema(job.schema).validate(job.value);
}
