import type { Knex } from 'knex';

export const name = '0038-memory-search';

/**
 * The nearest memories by pgvector (docs/memory.md, "How it searches"). Without the extension nobody calls it. It runs with the caller's rights, so
 * row-level security applies.
 *
 * The query is planned for each call with its values as literals. PostgreSQL then knows how large the scope is: it reads and compares a small one
 * whole, which is exact, and asks the index over all vectors of these dimensions (`npm run memory:index`) for a large one. The index compares
 * 16-bit floats; what is found is scored by the whole vectors.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION find_nearest_memories(collections text[], query text, dimensions integer, most integer)
      RETURNS TABLE (memory_id text, score double precision) LANGUAGE plpgsql ROWS 200
      -- A parallel plan is worth its start here: a comparison costs as much as hundreds of those that the planner reckons with.
      SET parallel_setup_cost = 100 SET min_parallel_table_scan_size = '1MB' SET min_parallel_index_scan_size = '64kB'
    AS $$
    BEGIN
      -- Candidates of other tenants and collections do not count: the index goes on behind them.
      PERFORM set_config('hnsw.ef_search', most::text, true), set_config('hnsw.iterative_scan', 'relaxed_order', true);
      RETURN QUERY EXECUTE format(
        'SELECT near.memory_id, -(near.embedding <#> CAST(%4$L AS vector(%3$s)))
         FROM (SELECT v.memory_id, CAST(v.embedding AS vector(%3$s)) AS embedding FROM memory_vectors v
               WHERE v.environment_id = %1$L::uuid AND v.collection_id = ANY (%2$L::text[]) AND v.dimensions = %3$s
               ORDER BY CAST(v.embedding AS halfvec(%3$s)) <#> CAST(%4$L AS halfvec(%3$s)) LIMIT %5$s) near',
        current_environment_id(), collections, dimensions, query, most);
    END $$;
    REVOKE ALL ON FUNCTION find_nearest_memories(text[], text, integer, integer) FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION find_nearest_memories(text[], text, integer, integer) TO service_app;
  `);
}
