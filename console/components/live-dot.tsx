import { createContext, use, useSyncExternalStore } from 'react';
import type { Live } from '../api/live.ts';

export const LiveContext = createContext<Live | null>(null);

const WORDS = { live: 'Live', polling: 'Every 15 s', paused: 'Paused' } as const;

/** Says whether the screen follows what happens; a click pauses it. */
export function LiveDot() {
  const live = use(LiveContext);
  if (live === null) return null;
  return <Dot live={live} />;
}

function Dot({ live }: { live: Live }) {
  const state = useSyncExternalStore(live.subscribe, live.state);
  const isPaused = state === 'paused';
  return (
    <button
      type="button"
      className={`live ${state}`}
      aria-pressed={isPaused}
      title={isPaused ? 'Follow what happens again' : 'Stop following what happens'}
      onClick={() => live.pause(!isPaused)}
    >
      <span aria-hidden="true">{isPaused ? '❚❚' : '●'}</span> {WORDS[state]}
    </button>
  );
}
