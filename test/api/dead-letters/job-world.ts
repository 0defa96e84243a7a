import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { jobSchema } from '../../../api/dead-letters/schemas.ts';
import type { TestService } from '../../harness/service.ts';
import type { CallResult } from '../harness/test-api.ts';
import { dataOf } from '../invocations/support.ts';
import { type Planted, plantDeadLetters } from './plant.ts';
import { countRows } from '../harness/count-rows.ts';

export type Job = z.infer<typeof jobSchema>;
/** Long enough for a busy machine; what is awaited is the end of a job. */
export const JOB_TIMEOUT_MS = 120_000;
export const jobIn = (reply: CallResult): Job => dataOf(reply, jobSchema);

/** What tests of jobs ask of a service, and plant in it. */
export class JobWorld {
  readonly #service: TestService;
  /** The destination of what is planted. */
  readonly #url: string;

  constructor(service: TestService, url: string) {
    this.#service = service;
    this.#url = url;
  }

  async jobOf(id: string): Promise<Job> {
    return jobIn(await this.#service.get(`/api/v2/dlq/jobs/${id}`));
  }

  retryAll(filter: object): Promise<CallResult> {
    return this.#service.post('/api/v2/dlq/retry-all', filter);
  }

  /** Dead letters under a label of their own; their messages are due in an hour when they are retried by hand. */
  async planted(given: Planted): Promise<{ label: string; ids: string[] }> {
    const label = `job ${randomUUID()}`;
    return { label, ids: await plantDeadLetters(this.#service.database, { url: this.#url, ...given, label }) };
  }

  /** How often each of these was retried. */
  async retriesOf(ids: readonly string[]): Promise<number[]> {
    const rows = await this.#service.database.asOwner<{ n: number }>(
      `SELECT (SELECT count(*)::int FROM messages m WHERE m.retry_of = u.id) AS n FROM unnest($1::text[]) u (id)`,
      [ids],
    );
    return rows.map((row) => row.n);
  }

  recordsOf(label: string): Promise<number> {
    return countRows(this.#service.database, 'dead_letters WHERE label = $1', [label]);
  }

  /** A job of an API process that died between the commit and the start. */
  async withoutWorkflow(filter: object): Promise<{ id: string }> {
    const id = `dlj_${randomUUID().replaceAll('-', '').slice(0, 22)}`;
    const { environmentId } = this.#service.database.tenant;
    await this.#service.database.asOwner(
      `INSERT INTO dead_letter_jobs (id, environment_id, kind, filter, requested_by, publishes_while_halted)
       VALUES ($1, $2, 'retry', $3, '{"type":"api_key","id":null}', false)`,
      [id, environmentId, JSON.stringify(filter)],
    );
    return { id };
  }
}
