import { useRef, useState } from 'react';
import { call, type Schema } from '../api/client.ts';
import { useChange } from '../api/queries.ts';
import { Badge } from './badge.tsx';
import { Problem } from './dialog.tsx';
import { Diff } from './diff.tsx';
import { EXAMPLE_POLICY } from './example-policy.ts';
import { useEnvironmentId } from './location.ts';
import { useTypedName } from './protection.ts';
import { jsonText } from './text.ts';
import { Foreign } from './values.tsx';
import { TypedName } from './typed-name.tsx';

type Plan = Schema<'ApprovalPolicyPlan'>;

/** A document is planned first, and applied as the plan that was seen: what changed meanwhile refuses it. */
export function PlanPolicies({ open = 'New policy', initial = EXAMPLE_POLICY }: { open?: string; initial?: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="primary"
        onClick={() => {
          setOpen(true);
          dialog.current?.showModal();
        }}
      >
        {open}
      </button>
      <dialog ref={dialog} className="large" aria-label={open} onClose={() => setOpen(false)}>
        {isOpen && <Steps title={open} initial={initial} close={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

function Steps({ title, initial, close }: { title: string; initial: string; close: () => void }) {
  const environmentId = useEnvironmentId();
  const [content, setContent] = useState(initial);
  const plan = useChange(async () => {
    const body = { files: [{ path: 'policy.yaml', content }] };
    return (await call('post', '/api/v2/approval-policies/files/plan', { body, environmentId })).data;
  });
  const planned = plan.data;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        plan.mutate(undefined);
      }}
    >
      <h2>{title}</h2>
      <label>
        <span>The document, YAML or JSON</span>
        <textarea
          className="code"
          rows={16}
          required
          spellCheck={false}
          value={content}
          onChange={({ target }) => {
            setContent(target.value);
            plan.reset();
          }}
        />
      </label>
      <Problem error={plan.error} />
      {planned !== undefined && <Planned plan={planned} close={close} />}
      <div className="buttons">
        {planned === undefined && (
          <button type="submit" className="primary" disabled={plan.isPending}>
            Plan
          </button>
        )}
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </form>
  );
}

function Planned({ plan, close }: { plan: Plan; close: () => void }) {
  const environmentId = useEnvironmentId();
  const typed = useTypedName();
  const [confirmed, setConfirmed] = useState('');
  const apply = useChange(async () => {
    const body = { planId: plan.planId, digest: plan.digest };
    await call('post', '/api/v2/approval-policies/files/apply', { body, environmentId });
    close();
  });
  if (plan.unchanged) return <p>Nothing would change.</p>;
  const isConfirmed = typed === undefined || confirmed === typed;
  return (
    <div>
      <h3>What would change</h3>
      {plan.changes.map(({ name, action, before, after }) => (
        <div key={name}>
          <p>
            <Badge of={action} /> <Foreign>{name}</Foreign>
          </p>
          <Diff before={before === null ? '' : jsonText(before)} after={after === null ? '' : jsonText(after)} />
        </div>
      ))}
      {plan.warnings.length > 0 && (
        <ul className="plain">
          {plan.warnings.map(({ path, code, message }) => (
            <li key={`${path} ${code}`}>
              <code>{path}</code>: <Foreign>{message}</Foreign>
            </li>
          ))}
        </ul>
      )}
      {typed !== undefined && <TypedName name={typed} to="apply it" value={confirmed} change={setConfirmed} />}
      <Problem error={apply.error} />
      <p className="buttons">
        <button
          type="button"
          className="primary"
          disabled={apply.isPending || !isConfirmed}
          onClick={() => apply.mutate(undefined)}
        >
          Apply exactly this
        </button>
      </p>
    </div>
  );
}
