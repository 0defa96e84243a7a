import type { Knex } from 'knex';

export const name = '0038-memory-indexes';

/**
 * How a search asks an index over the vectors of one collection (docs/memory.md, "From where on to turn the index on"). The index
 * itself needs the extension pgvector and is built by the operator's command; without one nobody calls the function.
 *
 * The query is planned for each call with the environment and the collection as literals: only then does the planner prove that
 * the index of this collection alone serves it. It runs with the caller's rights, so row-level security applies.
 *
 * The index compares 16-bit floats. What it finds is scored by the whole vectors here: to send them would cost more than to find them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION find_near_memories(collection text, query text, dimensions integer, most integer)
      RETURNS TABLE (memory_id text, score double precision) LANGUAGE plpgsql ROWS 200
      SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
    AS $$
    BEGIN
      -- The index is read for as many candidates as are asked for. The extension's own default is 40.
      PERFORM set_config('hnsw.ef_search', most::text, true);
      RETURN QUERY EXECUTE format(
        'SELECT near.memory_id, -(near.embedding <#> CAST(%4$L AS vector(%3$s)))
         FROM (SELECT v.memory_id, CAST(v.embedding AS vector(%3$s)) AS embedding FROM memory_vectors v
               WHERE v.environment_id = %1$L::uuid AND v.collection_id = %2$L
               ORDER BY CAST(v.embedding AS halfvec(%3$s)) <#> CAST(%4$L AS halfvec(%3$s)) LIMIT %5$s) near',
        current_environment_id(), collection, dimensions, query, most);
    END $$;
    REVOKE ALL ON FUNCTION find_near_memories(text, text, integer, integer) FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION find_near_memories(text, text, integer, integer) TO service_app;
  `);
}
