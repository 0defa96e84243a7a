import type { Knex } from 'knex';

export const name = '0005-vault';

/**
 * Secrets: a name and its sealed versions. Every version has its own data key, wrapped by a versioned master key that the
 * database never sees. Deleting a secret destroys its sealed versions and keeps the name's counter, so that a version number is
 * never reused.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(SECRETS);
  await knex.raw(MASTER_KEYS);
}

const SECRETS = `
  CREATE TABLE secrets (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    name text NOT NULL,
    description text,
    current_version integer NOT NULL CHECK (current_version >= 1),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    rotated_at timestamptz(3),
    deleted_at timestamptz(3),
    UNIQUE (environment_id, name)
  );
  CALL make_tenant_table('secrets', 'SELECT, INSERT, UPDATE');

  CREATE TABLE secret_versions (
    environment_id uuid NOT NULL REFERENCES environments,
    secret_id text COLLATE "C" NOT NULL REFERENCES secrets,
    version integer NOT NULL CHECK (version >= 1),
    master_key_version integer NOT NULL CHECK (master_key_version >= 1),
    wrapped_data_key bytea NOT NULL, -- nonce | ciphertext | tag of the data key under the master key
    sealed_value bytea NOT NULL,     -- nonce | ciphertext | tag of the value under the data key
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (secret_id, version)
  );
  CREATE INDEX secret_versions_by_master_key ON secret_versions (environment_id, master_key_version);
  CALL make_tenant_table('secret_versions', 'SELECT, INSERT, DELETE');
  -- Rewrapping changes the wrap, never the value.
  GRANT UPDATE (master_key_version, wrapped_data_key) ON secret_versions TO service_app;
`;

/** A digest says nothing of its key. The application neither changes nor removes one: it would then start with another value of the key. */
const MASTER_KEYS = `
  CREATE TABLE master_key_digests (
    version integer PRIMARY KEY CHECK (version >= 1),
    digest bytea NOT NULL CHECK (octet_length(digest) = 32),
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );
  ALTER TABLE master_key_digests ENABLE ROW LEVEL SECURITY;
  ALTER TABLE master_key_digests FORCE ROW LEVEL SECURITY;
  CREATE POLICY installation_wide ON master_key_digests USING (true) WITH CHECK (true);
  GRANT SELECT, INSERT ON master_key_digests TO service_app;
`;
