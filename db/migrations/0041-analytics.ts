import type { Knex } from 'knex';
import { COUNTED, countingOf, FACTS_OF_RECORDS } from './analytics-facts.ts';
import { CAPPED, FOLD, HISTOGRAM_SUM, HISTOGRAM_TEXT, PARTITIONS, VERIFICATION } from './analytics-fold.ts';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0041-analytics';

/**
 * What analytics counts (domain/analytics/kinds.ts), as facts and as their sums.
 *
 * `analytics_facts`: what a transaction changed of the counts, written in that transaction by triggers. It has no index and no foreign key:
 * its rows live for a minute. `analytics_rollups` has their sums and histograms by quarters of an hour, `analytics_days` the same by UTC days.
 * Each has two levels: with all dimensions, and (`is_total`) without the open ones. They are partitioned by month, kept 400 days, and dropped
 * by partition.
 *
 * A trigger for each statement over `invocations`, `effects`, `approvals`, `messages`, `message_attempts`, `schedule_runs`, `runs` and `chat_posts` adds
 * what the new rows count and subtracts what the old ones counted. The fold adds the facts to the rollups, each exactly once, because it deletes
 * them in the same transaction.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(FACTS);
  await knex.raw(HISTOGRAM_TEXT);
  await knex.raw(rollupsOf('analytics_rollups', 'quarter', 'timestamptz'));
  await knex.raw(rollupsOf('analytics_days', 'day', 'date'));
  await knex.raw(STATE);
  await knex.raw(FACTS_OF_RECORDS);
  for (const one of COUNTED) await knex.raw(countingOf(one));
  await knex.raw(CAPPED);
  await knex.raw(HISTOGRAM_SUM);
  await knex.raw(PARTITIONS);
  await makeDirectoryFunctions(knex, `${FOLD}${VERIFICATION}`, [
    'fold_analytics_facts(integer)',
    'mend_analytics_sums(uuid)',
    'claim_analytics_verification()',
  ]);
  await knex.raw('SELECT make_analytics_partitions()');
}

const FACTS = `
  CREATE TABLE analytics_facts (
    environment_id uuid NOT NULL,
    kind text NOT NULL,
    quarter timestamptz(3) NOT NULL,
    d1 text NOT NULL,
    d2 text NOT NULL,
    d3 text NOT NULL,
    bucket smallint, -- of the histogram; null without a duration
    n integer NOT NULL,
    s1 bigint NOT NULL,
    s2 bigint NOT NULL,
    first_at timestamptz(3), -- of what was added
    last_at timestamptz(3),
    samples text[]
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
  CALL make_tenant_table('analytics_facts', 'SELECT, INSERT');
  CREATE POLICY directory ON analytics_facts TO service_directory USING (true) WITH CHECK (true);
  GRANT SELECT, INSERT, DELETE ON analytics_facts TO service_directory; -- it changes records too
`;

const rollupsOf = (table: string, time: string, type: string): string => `
  CREATE TABLE ${table} (
    environment_id uuid NOT NULL,
    kind text COLLATE "C" NOT NULL,
    is_total boolean NOT NULL,
    ${time} ${type} NOT NULL,
    d1 text COLLATE "C" NOT NULL,
    d2 text COLLATE "C" NOT NULL,
    d3 text COLLATE "C" NOT NULL,
    n bigint NOT NULL,
    s1 bigint NOT NULL,
    s2 bigint NOT NULL,
    first_at timestamptz(3),
    last_at timestamptz(3),
    samples text[],
    buckets smallint[], -- of its histogram, in their order; null without a duration
    counts bigint[], -- in each of them
    -- Both, for who adds up many: PostgreSQL takes longer to make a text of an array than to read its row.
    histogram text GENERATED ALWAYS AS (analytics_histogram_text(buckets, counts)) STORED,
    -- Included: what most reads sum, so that they need no visit of the rows, which are wide and lie scattered.
    PRIMARY KEY (environment_id, kind, is_total, ${time}, d1, d2, d3) INCLUDE (n, s1, s2, last_at)
  ) PARTITION BY RANGE (${time});
  CREATE TABLE partitions.${table}_default PARTITION OF ${table} DEFAULT;
  CALL make_tenant_table('${table}', 'SELECT');
  CREATE POLICY directory ON ${table} TO service_directory USING (true) WITH CHECK (true);
  GRANT SELECT, INSERT, UPDATE ON ${table} TO service_directory;
`;

const STATE = `
  -- All that was committed before it is in the rollups.
  ALTER TABLE installation ADD COLUMN analytics_complete_until timestamptz(3) NOT NULL DEFAULT now();
  -- The UTC day on which the sweep last compared a sample with its records.
  ALTER TABLE installation ADD COLUMN analytics_verified_on date NOT NULL DEFAULT '-infinity';
  -- What the fold has counted of the whole installation, for metrics (domain/metrics/of-the-database.ts): a member for each name and label.
  ALTER TABLE installation ADD COLUMN counted_facts jsonb NOT NULL DEFAULT '{}';
  GRANT SELECT (analytics_complete_until, analytics_verified_on, counted_facts),
    UPDATE (analytics_complete_until, analytics_verified_on, counted_facts) ON installation TO service_directory;
`;
