import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0043-memory-search';

/**
 * Two ways in which PostgreSQL itself ranks the memories of a search (docs/memory.md, "How it searches").
 *
 * `find_nearest_memories` compares every vector of its collections by pgvector's operator, which is exact. It runs with the caller's
 * rights, so row-level security applies. Without the extension nobody calls it.
 *
 * `find_worded_memories` asks the index over the words of one collection, where an operator has built it. Row-level security keeps a
 * caller from every index over words, because `@@` is not leakproof. So it runs as `service_directory`, over the environment of the
 * transaction alone, and answers ids and ranks: whoever asks joins them to `memories` under their own rights.
 *
 * `memory_word_counts` tells which words of an indexed collection are common. The operator's command counts them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(WORD_COUNTS);
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
