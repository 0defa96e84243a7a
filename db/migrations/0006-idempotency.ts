import type { Knex } from 'knex';

export const name = '0006-idempotency';

/**
 * Claims of Idempotency-Keys, per environment. A claim is `in_progress` under a lease that its holder renews; when the
 * holder dies the lease runs out and another request takes the claim over. Only 2xx replies are kept; a failed request
 * deletes its claim.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE idempotency_claims (
      environment_id uuid NOT NULL REFERENCES environments,
      key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
      request_digest text NOT NULL, -- over method, path, workspace and JSON body
      state text NOT NULL DEFAULT 'in_progress' CHECK (state IN ('in_progress', 'completed')),
      holder uuid NOT NULL,         -- of this claim; a taken-over claim has another
      lease_expires_at timestamptz(3) NOT NULL,
      awaited boolean NOT NULL DEFAULT false, -- a duplicate waits: only then is the end worth a NOTIFY
      response_status integer CHECK (response_status BETWEEN 200 AND 299),
      response_body text,           -- the very bytes that were answered
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      expires_at timestamptz(3) NOT NULL,
      PRIMARY KEY (environment_id, key),
      CHECK ((state = 'completed') = (response_status IS NOT NULL))
    );
    CREATE INDEX idempotency_claims_expiry ON idempotency_claims (expires_at);
    CALL make_tenant_table('idempotency_claims', 'SELECT, INSERT, UPDATE, DELETE');
  `);
}
