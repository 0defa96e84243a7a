import { pino } from 'pino';
import { SendFence } from '../../activities/adapters/send-fence.ts';
import { Watchdog } from '../../activities/adapters/watchdog.ts';

/** For tests of other subjects: it ends only work that outlives its deadline by half a minute. */
export const WATCHDOG = new Watchdog({ logger: pino({ level: 'silent' }) });

/** For tests of other subjects: nothing closes it. */
export const OPEN_FENCE = new SendFence(WATCHDOG.pauses, { pausedMsMax: Infinity, lastsMs: Infinity });
