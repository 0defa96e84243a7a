import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0038-memory-search';

/**
 * Three ways in which PostgreSQL itself finds and ranks the memories of a search (docs/memory.md, "How it searches"). Indexes over one collection
 * are built by the operator's command.
 *
 * `find_near_memories` asks an index over the vectors of one collection, `find_nearest_memories` compares every vector of its collections by
 * pgvector's operator, which is exact. Both run with the caller's rights, so row-level security applies. Without the extension nobody calls
 * them.
 *
 * `find_worded_memories` asks the index over the words of one collection, where an operator has built it. Row-level security keeps a
 * caller from every index over words, because `@@` is not leakproof. So it runs as `service_directory`, over the environment of the
 * transaction alone, and answers ids and ranks: whoever asks joins them to `memories` under their own rights.
 *
 * `memory_word_counts` tells which words of an indexed collection are common. The operator's command counts them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(WORD_COUNTS);
  await knex.raw(NEAR);
  await knex.raw(NEAREST);
  await makeDirectoryFunctions(knex, WORDED, ['find_worded_memories(text, text, text, integer)']);
}

const WORD_COUNTS = `
  CREATE TABLE memory_word_counts (
    collection_id text COLLATE "C" NOT NULL REFERENCES memory_collections ON DELETE CASCADE,
    word text COLLATE "C" NOT NULL,
    environment_id uuid NOT NULL REFERENCES environments,
    memories integer NOT NULL CHECK (memories > 0), -- versions that hold the word, when they were counted
    PRIMARY KEY (collection_id, word)
  );
  CREATE INDEX memory_word_counts_of_environment ON memory_word_counts (environment_id);
  CALL make_tenant_table('memory_word_counts', 'SELECT');
`;

/**
 * The query is planned for each call with the environment and the collection as literals: only then does the planner prove that the index of
 * this collection alone serves it. The index compares 16-bit floats. What it finds is scored by the whole vectors here: to send them would
 * cost more than to find them.
 */
const NEAR = `
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
`;

const NEAREST = `
  -- A parallel plan is worth its start here: a comparison costs as much as hundreds of those that the planner reckons with.
  CREATE FUNCTION find_nearest_memories(collections text[], query text, dimensions integer, most integer)
    RETURNS TABLE (memory_id text, score double precision) LANGUAGE plpgsql STABLE ROWS 500
    SET parallel_setup_cost = 100 SET min_parallel_table_scan_size = '1MB' SET min_parallel_index_scan_size = '64kB'
  AS $$
  BEGIN
    RETURN QUERY EXECUTE format(
      'SELECT v.memory_id, -(CAST(v.embedding AS vector(%3$s)) <#> CAST(%4$L AS vector(%3$s))) AS score FROM memory_vectors v
       WHERE v.environment_id = %1$L::uuid AND v.collection_id = ANY (%2$L::text[]) ORDER BY score DESC, v.memory_id LIMIT %5$s',
      current_environment_id(), collections, dimensions, query, most);
  END $$;
  REVOKE ALL ON FUNCTION find_nearest_memories(text[], text, integer, integer) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION find_nearest_memories(text[], text, integer, integer) TO service_app;
`;

const WORDED = `
  GRANT SELECT (collection_id, terms) ON memories TO service_directory;

  -- The memories of a collection that match \`words\`, by their rank for \`asked\`, the best first. Both are queries of text search.
  -- Planned for each call with the environment and the collection as literals, which the predicate of the index names.
  CREATE FUNCTION find_worded_memories(collection text, words text, asked text, most integer)
    RETURNS TABLE (memory_id text, score real) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 200
    SET search_path = public, pg_temp SET enable_seqscan = off
  AS $$
  BEGIN
    RETURN QUERY EXECUTE format(
      'SELECT m.id, ts_rank(m.terms, %4$L::tsquery, 1) AS score FROM memories m
       WHERE m.environment_id = %1$L::uuid AND m.collection_id = %2$L AND m.terms @@ %3$L::tsquery
       ORDER BY score DESC, m.id LIMIT %5$s',
      current_environment_id(), collection, words, asked, most);
  END $$;
`;
