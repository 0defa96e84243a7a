import { type SubmitEvent, useEffect, useId, useRef, useState } from 'react';
import { answerStepUp, call, type StepUpMeans } from '../api/client.ts';
import { passkeyProblem, showPasskey } from '../api/passkeys.ts';

interface Asked {
  means: readonly StepUpMeans[];
  answer: (isConfirmed: boolean) => void;
}

/** Asks for a passkey or the password when the service does. What the person wanted is then done once more, by itself. */
export function StepUp() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  useEffect(
    () =>
      answerStepUp(
        (means) =>
          new Promise((answer) => {
            setAsked({ means, answer });
            dialog.current?.showModal();
          }),
      ),
    [],
  );
  const end = (isConfirmed: boolean): void => {
    asked?.answer(isConfirmed);
    setAsked(null);
    dialog.current?.close();
  };
  return (
    <dialog ref={dialog} aria-label="Confirm that it is you" onClose={() => asked !== null && end(false)}>
      {asked !== null && <Confirmation means={asked.means} end={end} />}
    </dialog>
  );
}

/** The browser still asks when the dialog is closed: it would refuse the next question, and answer for this one. */
function useGone() {
  const gone = useRef(new AbortController());
  useEffect(() => {
    gone.current = new AbortController();
    return () => gone.current.abort();
  }, []);
  return gone;
}

function Confirmation({ means, end }: { means: readonly StepUpMeans[]; end: (isConfirmed: boolean) => void }) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isPending, setPending] = useState(false);
  const [password, setPassword] = useState('');
  const headingId = useId();
  const gone = useGone();
  const confirm = async (work: () => Promise<unknown>): Promise<void> => {
    const { signal } = gone.current;
    setPending(true);
    setProblem(null);
    try {
      await work();
      if (!signal.aborted) end(true);
    } catch (error) {
      if (signal.aborted) return;
      setProblem(passkeyProblem(error));
      setPending(false);
    }
  };
  const sendPassword = (event: SubmitEvent): void => {
    event.preventDefault();
    void confirm(() => call('post', '/api/v2/auth/session/password', { body: { password } }));
  };
  return (
    <form onSubmit={sendPassword} aria-labelledby={headingId}>
      <h2 id={headingId}>Confirm that it is you</h2>
      <p>The last time is more than five minutes ago. What you wanted is done once you have confirmed.</p>
      {problem !== null && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {means.includes('password') && (
        <label>
          <span>Your password</span>
          <input
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        </label>
      )}
      <div className="buttons">
        {means.includes('passkey') && (
          <button
            type="button"
            className="primary"
            disabled={isPending}
            onClick={() => void confirm(() => showPasskey(gone.current.signal))}
          >
            Use your passkey
          </button>
        )}
        {means.includes('password') && (
          <button type="submit" disabled={isPending}>
            Use the password
          </button>
        )}
        <button type="button" onClick={() => end(false)}>
          Cancel
        </button>
      </div>
    </form>
  );
}
