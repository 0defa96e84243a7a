import type { Knex } from 'knex';

export const name = '0023-url-groups';

/**
 * URL groups and their endpoints. Both stay as rows when they are deleted or removed, because messages name them: a message holds
 * the URL that it was published to, so no change of a group changes what is in flight.
 *
 * The database holds that one live group of an environment has a name, that one live endpoint of a group has a URL, and that an
 * endpoint never changes but to be removed.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE url_groups (
      id text COLLATE "C" PRIMARY KEY,
      environment_id uuid NOT NULL REFERENCES environments,
      name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      deleted_at timestamptz(3)
    );
    CREATE UNIQUE INDEX url_groups_live_name ON url_groups (environment_id, name) WHERE deleted_at IS NULL;
    CREATE INDEX url_groups_newest_first ON url_groups (environment_id, created_at DESC, id DESC);
    CALL make_tenant_table('url_groups', 'SELECT, INSERT');
    GRANT UPDATE (name, updated_at, deleted_at) ON url_groups TO service_app;

    CREATE TABLE url_group_endpoints (
      id uuid PRIMARY KEY,
      environment_id uuid NOT NULL REFERENCES environments,
      group_id text COLLATE "C" NOT NULL REFERENCES url_groups,
      url text NOT NULL CHECK (char_length(url) <= 2048),
      name text CHECK (char_length(name) BETWEEN 1 AND 100),
      retry_count integer CHECK (retry_count BETWEEN 0 AND 10), -- null: the publish request decides
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      removed_at timestamptz(3)
    );
    CREATE UNIQUE INDEX url_group_endpoints_live_url ON url_group_endpoints (group_id, url) WHERE removed_at IS NULL;
    CALL make_tenant_table('url_group_endpoints', 'SELECT, INSERT');
    GRANT UPDATE (removed_at) ON url_group_endpoints TO service_app;
  `);
}
