import type { Knex } from 'knex';

export const name = '0022-shortened-values';

/**
 * How a list shows a large value: its size and its beginning. The database shortens it, so that a page of records costs what it
 * shows. `GET` of the one record has the whole value.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(SHORTENED);
}

const SHORTENED = `
  CREATE FUNCTION shortened_text(value text, bytes_max integer) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN jsonb_build_object('truncated', true, 'bytes', octet_length(value), 'preview', left(value, bytes_max / 4));

  CREATE FUNCTION shortened(value jsonb, bytes_max integer) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
  DECLARE written text := value::text; -- once: it is what costs
  BEGIN
    RETURN CASE WHEN octet_length(written) <= bytes_max THEN value ELSE shortened_text(written, bytes_max) END;
  END $$;
`;
