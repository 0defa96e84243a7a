import { capital, wordsOf } from './text.ts';

/** One look for each state, everywhere: a colour never stands without its word and its shape. */

type Tone = 'good' | 'bad' | 'mark' | 'quiet' | 'busy';

/** Grades, and the states of everything else that has some. What is not named here is shown in its own word, without a colour. */
const TONES: Readonly<Record<string, Tone>> = {
  confirmed: 'good',
  acknowledged: 'good',
  succeeded: 'good',
  delivered: 'good',
  completed: 'good',
  success: 'good',
  ok: 'good',
  active: 'good',
  enabled: 'good',
  ready: 'good',
  published: 'good',
  approved: 'good',
  paid: 'good',
  unknown: 'mark',
  timed_out: 'mark',
  exhausted: 'mark',
  paused: 'mark',
  retry_pending: 'mark',
  failed: 'bad',
  error: 'bad',
  dead: 'bad',
  halted: 'bad',
  refused: 'bad',
  rejected: 'bad',
  denied: 'bad',
  disabled: 'mark',
  expired: 'quiet',
  cancelled: 'quiet',
  archived: 'quiet',
  abandoned: 'quiet',
  pending: 'busy',
  pending_approval: 'busy',
  queued: 'busy',
  running: 'busy',
  started: 'busy',
  in_progress: 'busy',
  dispatching: 'busy',
  waiting: 'busy',
};

const SHAPES: Readonly<Record<Tone, string>> = { good: '●', bad: '✕', mark: '▲', quiet: '○', busy: '◐' };
/** Two grades of success differ: the provider was asked, or has only answered. */
const OWN_SHAPES: Readonly<Record<string, string>> = { acknowledged: '◒', denied: '⊘', refused: '⊘' };

export function Badge({ of, words }: { of: string; words?: string }) {
  const tone = TONES[of] ?? 'quiet';
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{OWN_SHAPES[of] ?? SHAPES[tone]}</span> {words ?? capital(wordsOf(of))}
    </span>
  );
}
