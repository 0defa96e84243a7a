import { call, type Schema } from '../api/client.ts';
import { type Environment, useReadIn, useSession } from '../api/queries.ts';
import { FormDialog } from '../components/dialog.tsx';
import { List, useListQuery } from '../components/list.tsx';
import { Screen } from '../components/screen.tsx';
import { capital } from '../components/text.ts';
import { Code, Foreign, Id, Time } from '../components/values.tsx';
import { InWorkspace } from '../components/workspace.tsx';

type Member = Schema<'Member'>;
type Role = Member['role'];

const ROLES = ['member', 'admin', 'owner'] as const;
const ROLE_FIELD = { name: 'role', label: 'Role', kind: 'choice', options: ROLES, required: true } as const;

export function MembersScreen() {
  return <InWorkspace>{(environment) => <Members environment={environment} />}</InWorkspace>;
}

function Members({ environment: { workspaceId, workspaceName } }: { environment: Environment }) {
  const read = useReadIn(undefined, 'members', '/api/v2/workspaces/{workspaceId}/members', {
    path: { workspaceId },
    query: useListQuery([]),
    keepsPrevious: true,
  });
  return (
    <Screen title="Members" kicker={workspaceName} actions={<Invite workspaceId={workspaceId} />}>
      <List
        read={read}
        noun={['member', 'members']}
        idOf={({ userId }) => userId}
        columns={[
          { title: 'Name', cell: ({ name }) => <Foreign>{name}</Foreign> },
          { title: 'E-mail', cell: ({ email }) => <Foreign>{email}</Foreign> },
          { title: 'Role', cell: ({ role }) => capital(role) },
          { title: 'Joined', cell: ({ joinedAt }) => <Time at={joinedAt} /> },
          { title: 'Id', on: 'wide', cell: ({ userId }) => <Id value={userId} short /> },
          { title: 'Do', cell: (member) => <Acts workspaceId={workspaceId} member={member} /> },
        ]}
        nothingYet={null}
      />
    </Screen>
  );
}

function Invite({ workspaceId }: { workspaceId: string }) {
  return (
    <FormDialog
      open="Invite"
      title="Invite a person"
      tone="primary"
      fields={[{ name: 'email', label: 'E-mail address', required: true }, ROLE_FIELD]}
      change={({ email = '', role }) =>
        call('post', '/api/v2/workspaces/{workspaceId}/members', {
          path: { workspaceId },
          body: { email, role: role as Role },
        })
      }
      result={(reply) => {
        const { token, email, expiresAt } = (reply as { data: Schema<'Invitation'> }).data;
        return (
          <>
            <p>
              Give this token to {email}. It is shown once and holds until <Time at={expiresAt} />.
            </p>
            <Code text={token} label="the invitation" />
          </>
        );
      }}
    />
  );
}

function Acts({ workspaceId, member: { userId, name, role } }: { workspaceId: string; member: Member }) {
  const own = useSession().data?.user.id === userId;
  return (
    <span className="actions">
      <FormDialog
        open="Change the role"
        title={`The role of ${name}`}
        submit="Save"
        fields={[{ ...ROLE_FIELD, initial: role }]}
        change={({ role: chosen }) =>
          call('patch', '/api/v2/workspaces/{workspaceId}/members/{userId}', {
            path: { workspaceId, userId },
            body: { role: chosen as Role },
          })
        }
      >
        <p>
          It holds at once. A member reads; an admin also repairs and configures; an owner also decides who is here.
        </p>
      </FormDialog>
      <FormDialog
        open={own ? 'Leave' : 'Remove'}
        title={own ? 'Leave this workspace' : `Remove ${name}`}
        tone="danger"
        typed={name}
        change={() =>
          call('delete', '/api/v2/workspaces/{workspaceId}/members/{userId}', { path: { workspaceId, userId } })
        }
      >
        <p>Their sessions and apps end here at once. What they did stays in the audit log.</p>
      </FormDialog>
    </span>
  );
}
