import { pino } from 'pino';
import { Watchdog } from '../../activities/adapters/watchdog.ts';

/** For tests that are not about it: it ends only what outlives its deadline by half a minute. */
export const WATCHDOG = new Watchdog({ logger: pino({ level: 'silent' }) });
