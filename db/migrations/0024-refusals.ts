import type { Knex } from 'knex';

export const name = '0024-refusals';

/**
 * Why an invocation was not carried out, failed, or is unknown, as a code and details for machines, beside the sentence in `error`.
 * They are there exactly under the statuses that they explain, so that no reader has to guess from a sentence.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(REFUSALS);
}

/** The rows of before get the code that their record proves; the owner sees all of them only while the policy is not forced. */
const REFUSALS = `
  ALTER TABLE invocations ADD COLUMN refusal_code text CHECK (refusal_code ~ '^[a-z_]{1,64}$'), ADD COLUMN refusal_details jsonb;

  ALTER TABLE invocations NO FORCE ROW LEVEL SECURITY, DISABLE TRIGGER USER;
  UPDATE invocations SET refusal_details = '{}', refusal_code = CASE status
      WHEN 'refused' THEN COALESCE(substring(error FROM '^dispatch refused \\(([a-z_]+)\\)'), 'digest_mismatch')
      WHEN 'denied' THEN 'approval_denied'
      WHEN 'expired' THEN 'approval_expired'
      WHEN 'cancelled' THEN 'approval_cancelled'
      WHEN 'unknown' THEN 'no_usable_answer'
      ELSE CASE outcome_source
        WHEN 'manual_resolution' THEN 'resolved_as_failed'
        WHEN 'provider_lookup' THEN 'provider_reports_failure'
        WHEN 'provider_response' THEN 'provider_rejected'
        ELSE 'not_sent' END
    END
  WHERE status IN ('refused', 'denied', 'expired', 'cancelled', 'failed', 'unknown');
  ALTER TABLE invocations FORCE ROW LEVEL SECURITY, ENABLE TRIGGER USER;

  ALTER TABLE invocations ADD CONSTRAINT invocations_refusal_check CHECK (
    (refusal_code IS NOT NULL) = (status IN ('refused', 'denied', 'expired', 'cancelled', 'failed', 'unknown'))
    AND (refusal_details IS NOT NULL) = (refusal_code IS NOT NULL));
`;
