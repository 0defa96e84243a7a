import { call, type Schema } from '../api/client.ts';
import { useEnvironment } from '../api/queries.ts';
import { FormDialog } from './dialog.tsx';
import { download } from './download.ts';
import { resolutionOf, resolveFields } from './resolve-fields.ts';
import { durationText } from './text.ts';
import { Time } from './values.tsx';

type Effect = Schema<'EffectDetail'>;

/** What can be done about an effect now. The first of them is what helps most. */
export function EffectActions({ effect }: { effect: Effect }) {
  const isUnknown = effect.outcome === 'unknown';
  const canRead = (isUnknown || effect.outcome === 'pending') && effect.firstDispatchedAt !== null;
  return (
    <>
      {canRead && <Reconcile effect={effect} />}
      {isUnknown && <Resolve effect={effect} />}
      {isUnknown && effect.capabilities['replay'] === true && <Replay effect={effect} />}
      <Note effect={effect} />
      <button
        type="button"
        onClick={() => download(`${effect.id}.json`, JSON.stringify(effect, null, 2), 'application/json')}
      >
        Download the receipt
      </button>
    </>
  );
}

const at = ({ id, environmentId }: Effect) => ({ path: { id }, environmentId });

function Reconcile({ effect }: { effect: Effect }) {
  return (
    <FormDialog
      open="Reconcile"
      title="Read the provider now"
      submit="Read now"
      tone="primary"
      change={() => call('post', '/api/v2/actions/effects/{id}/reconcile', at(effect))}
    >
      <p>The service reads the provider’s record to find out what became of this effect. Nothing is sent again.</p>
      {effect.reconciliation.nextAt !== null && (
        <p className="quiet">
          By itself it reads next <Time at={effect.reconciliation.nextAt} distance />.
        </p>
      )}
    </FormDialog>
  );
}

function Resolve({ effect }: { effect: Effect }) {
  const environment = useEnvironment();
  return (
    <FormDialog
      open="Resolve"
      title="Record what became of it"
      submit="Record for good"
      fields={resolveFields({ needsPartial: effect.partialEffect === 'possible' })}
      typed={environment?.protected === true ? environment.name : undefined}
      change={(values, idempotencyKey) =>
        call('post', '/api/v2/actions/effects/{id}/resolve', {
          ...at(effect),
          idempotencyKey,
          body: resolutionOf(values),
        })
      }
    >
      <p>Record it only when you have looked at the provider. It cannot be changed afterwards.</p>
    </FormDialog>
  );
}

function Replay({ effect }: { effect: Effect }) {
  const environment = useEnvironment();
  const seconds = effect.capabilities['idempotencyWindowSeconds'];
  const sentAt = effect.firstDispatchedAt;
  const ends = typeof seconds === 'number' && sentAt !== null ? new Date(Date.parse(sentAt) + seconds * 1_000) : null;
  return (
    <FormDialog
      open="Replay"
      title="Send the same bytes again"
      submit="Send again"
      tone="danger"
      typed={environment?.protected === true ? environment.name : undefined}
      change={() => call('post', '/api/v2/actions/effects/{id}/replay', at(effect))}
    >
      <p>
        The provider knows the idempotency key, so that it does the same thing once, whichever of the two requests it
        got.
      </p>
      {ends !== null && typeof seconds === 'number' && (
        <p>
          It remembers the key for {durationText(seconds * 1_000)}: until <Time at={ends.toISOString()} distance />.
          Later the service refuses to send it.
        </p>
      )}
    </FormDialog>
  );
}

function Note({ effect }: { effect: Effect }) {
  return (
    <FormDialog
      open="Add a note"
      title="Add a note to the evidence"
      fields={[{ name: 'note', label: 'What you found out', kind: 'area', required: true }]}
      submit="Add"
      change={({ note = '' }, idempotencyKey) =>
        call('post', '/api/v2/actions/effects/{id}/notes', { ...at(effect), idempotencyKey, body: { note } })
      }
    >
      <p className="quiet">A note changes no outcome. It stays in the receipt.</p>
    </FormDialog>
  );
}
