import type { Knex } from 'knex';

export const name = '0026-observed-times';

/**
 * Nothing is recorded before it was observed. `observed_at` comes from the clock of a worker or of the API, `recorded_at` from the
 * database's, and two clocks never agree: what claims to be observed later than it is recorded was observed just now. `recorded_at` is
 * the moment of the row, not the beginning of its transaction, which may be long before the observation.
 *
 * The chains hash the row after this (`chain` is an AFTER trigger).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION record_time() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.recorded_at := clock_timestamp();
      NEW.observed_at := LEAST(NEW.observed_at, NEW.recorded_at);
      RETURN NEW;
    END $$;
    CREATE TRIGGER record_time BEFORE INSERT ON evidence FOR EACH ROW EXECUTE FUNCTION record_time();
    CREATE TRIGGER record_time BEFORE INSERT ON observations FOR EACH ROW EXECUTE FUNCTION record_time();
  `);
}
