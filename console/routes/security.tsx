import { call } from '../api/client.ts';
import { enrolPasskey, passkeyProblem } from '../api/passkeys.ts';
import { useReadIn } from '../api/queries.ts';
import { FormDialog } from '../components/dialog.tsx';
import { List, useListQuery } from '../components/list.tsx';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { Code, Foreign, Time } from '../components/values.tsx';

/** Passkeys and recovery codes of this person, in every workspace. */
export function SecurityScreen() {
  const query = useListQuery([]);
  const read = useReadIn(undefined, 'passkeys', '/api/v2/auth/passkeys', { query, keepsPrevious: true });
  const count = read.data?.pagination.total ?? 0;
  return (
    <Screen title="Security" kicker="Yours" actions={isAddress() ? undefined : <NewPasskey />}>
      {isAddress() ? (
        <AtAnAddress />
      ) : (
        <p>
          A passkey is asked for when you sign in, and again for what you decide in a protected environment. It works at{' '}
          <strong>{window.location.hostname}</strong> alone.
        </p>
      )}
      <List
        read={read}
        noun={['passkey', 'passkeys']}
        idOf={({ id }) => id}
        columns={[
          { title: 'Passkey', cell: ({ name }) => <Foreign>{name}</Foreign> },
          { title: 'Synced', on: 'wide', cell: ({ isSynced }) => (isSynced ? 'Yes' : 'No') },
          { title: 'Enrolled', on: 'wide', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
          { title: 'Do', cell: ({ id, name }) => <Acts id={id} name={name} /> },
        ]}
        nothingYet={
          <NothingYet
            what="passkeys"
            hint={
              isAddress()
                ? 'Your password alone signs you in.'
                : 'Your password alone signs you in. Enrol a passkey of this device or of a security key.'
            }
          />
        }
      />
      {count > 0 && <RecoveryCodes />}
    </Screen>
  );
}

/** 127.0.0.1 or [::1]: a passkey belongs to a name. */
function isAddress(): boolean {
  return /^(\d+(\.\d+){3}|\[.*\])$/.test(window.location.hostname);
}

function AtAnAddress() {
  const { protocol, hostname, port, pathname, search } = window.location;
  const isOfThisMachine = hostname === '[::1]' || hostname.startsWith('127.');
  const there = `${protocol}//localhost${port === '' ? '' : `:${port}`}`;
  return (
    <p>
      A passkey belongs to a name, and {hostname} is an IP address.{' '}
      {isOfThisMachine ? (
        <>
          Open <a href={`${there}${pathname}${search}`}>{there}</a> to enrol one: you sign in there once more.
        </>
      ) : (
        'An operator sets PUBLIC_URL to a name.'
      )}
    </p>
  );
}

const NAME_HINT = 'Such as the name of the device.';

function NewPasskey() {
  return (
    <FormDialog
      open="Enrol a passkey"
      title="Enrol a passkey"
      submit="Go on"
      tone="primary"
      fields={[{ name: 'name', label: 'Name', required: true, hint: NAME_HINT }]}
      change={({ name = '' }) =>
        enrolPasskey(name).catch((error: unknown) => {
          throw error instanceof DOMException ? new Error(passkeyProblem(error)) : error;
        })
      }
      result={(codes) => <Codes codes={codes as string[] | null} />}
    >
      <p>Your browser asks for a finger, a face, a PIN or a security key. From then on you sign in with it.</p>
    </FormDialog>
  );
}

function Acts({ id, name }: { id: string; name: string }) {
  return (
    <span className="actions">
      <FormDialog
        open="Rename"
        title={`Rename ${name}`}
        fields={[{ name: 'name', label: 'Name', required: true, initial: name, hint: NAME_HINT }]}
        change={(values) =>
          call('patch', '/api/v2/auth/passkeys/{id}', { path: { id }, body: { name: values['name'] ?? '' } })
        }
      />
      <FormDialog
        open="Remove"
        title={`Remove ${name}`}
        tone="danger"
        change={() => call('delete', '/api/v2/auth/passkeys/{id}', { path: { id } })}
      >
        <p>It is accepted no longer. Without another passkey, your password alone signs you in again.</p>
      </FormDialog>
    </span>
  );
}

function RecoveryCodes() {
  const { data } = useReadIn(undefined, 'passkeys', '/api/v2/auth/recovery-codes');
  return (
    <section aria-labelledby="recovery-codes">
      <h2 id="recovery-codes">Recovery codes</h2>
      <p>
        {data === undefined ? 'Counting …' : `${data.data.unused} are left.`} Each signs you in once if you have lost
        your passkey.
      </p>
      <FormDialog
        open="Make new codes"
        title="Make new recovery codes"
        change={async () => (await call('post', '/api/v2/auth/recovery-codes')).data.recoveryCodes}
        result={(codes) => <Codes codes={codes as string[]} />}
      >
        <p>The codes that you have end.</p>
      </FormDialog>
    </section>
  );
}

function Codes({ codes }: { codes: string[] | null }) {
  if (codes === null) return <p>The passkey is enrolled.</p>;
  return (
    <>
      <p>
        Keep these codes where you keep what you must not lose. <strong>They are shown this once.</strong>
      </p>
      <Code text={codes.join('\n')} label="the recovery codes" />
    </>
  );
}
