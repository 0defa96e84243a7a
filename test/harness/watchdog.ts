import { pino } from 'pino';
import { Watchdog } from '../../activities/adapters/watchdog.ts';

/** For tests of other subjects: it ends only work that outlives its deadline by half a minute. */
export const WATCHDOG = new Watchdog({ logger: pino({ level: 'silent' }) });
