import { checkSchema, compileSchema } from '../../domain/json-schema/json-schema.ts';
import type { SchemaAnswer, SchemaJob } from './schema-job.ts';

/** A thread holds its compiled schemas until it ends. */
export default function answerJob(job: SchemaJob): SchemaAnswer {
  return job.kind === 'check' ? checkSchema(job.schema, job.path) : compileSchema(job.schema).validate(job.value);
}
