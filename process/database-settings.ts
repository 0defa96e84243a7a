import type { Configuration } from '../domain/configuration/configuration.ts';

type Settings = Pick<
  Configuration<'api'> | Configuration<'worker'> | Configuration<'embedded'>,
  'DATABASE_LISTEN_URL' | 'DATABASE_POOL_MAX' | 'REQUIRE_SYNC_STANDBY'
>;

/** How a process uses its database, which is that of `databaseUrl`. */
export function databaseSettingsOf(settings: Settings, databaseUrl: string) {
  return {
    databaseUrl,
    databaseListenUrl: settings.DATABASE_LISTEN_URL ?? databaseUrl,
    databasePoolMax: settings.DATABASE_POOL_MAX,
    requireSyncStandby: settings.REQUIRE_SYNC_STANDBY,
  };
}
