/** Previews of an environment that have not expired and that no invocation uses; a refreshed one counts until its time is over. */
export const LIVE_PREVIEWS_MAX = 10_000;
