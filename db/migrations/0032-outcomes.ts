import type { Knex } from 'knex';

export const name = '0032-outcomes';

/**
 * Two matches stay unknown. After a read found more than one record at the provider, only a person settles an unknown outcome,
 * and nothing is sent again.
 *
 * An exposure is unresolved where a reservation is held, and the reservations say so themselves.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(AMBIGUOUS_EFFECTS);
  await knex.raw('ALTER TABLE effects DROP COLUMN unresolved_exposure');
}

const AMBIGUOUS_EFFECTS = `
  CREATE FUNCTION is_ambiguous(of_effect text) RETURNS boolean LANGUAGE sql STABLE
    RETURN EXISTS (SELECT FROM evidence v
      WHERE v.effect_id = of_effect AND v.source = 'provider_lookup' AND v.details ->> 'kind' = 'ambiguous');

  CREATE FUNCTION keep_ambiguous_unknown() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF is_ambiguous(OLD.id) THEN
      RAISE EXCEPTION 'more than one record of effect % was found: only a person settles it', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER keep_ambiguous_unknown BEFORE UPDATE ON effects FOR EACH ROW
    WHEN (OLD.outcome = 'unknown' AND NEW.outcome <> 'unknown' AND NEW.outcome_source IS DISTINCT FROM 'manual_resolution')
    EXECUTE FUNCTION keep_ambiguous_unknown();

  CREATE FUNCTION refuse_ambiguous_replay() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM effects e WHERE e.invocation_id = NEW.invocation_id AND is_ambiguous(e.id)) THEN
      RAISE EXCEPTION 'more than one record of the effect was found: it is not sent again' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER refuse_ambiguous_replay BEFORE INSERT ON attempts FOR EACH ROW
    WHEN (NEW.kind = 'replay') EXECUTE FUNCTION refuse_ambiguous_replay();
`;
