/** A condition on `pg_stat_activity a`: a session of this login whose commit has waited for a synchronous standby for more than ten seconds. */
export const WAITS_FOR_STANDBY = `a.usename = current_user AND a.wait_event = 'SyncRep' AND a.query_start < clock_timestamp() - interval '10 seconds'`;
