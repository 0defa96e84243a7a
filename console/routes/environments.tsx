import { call } from '../api/client.ts';
import { type Environment, useEnvironments } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { CHECKED, type Field } from '../components/fields.tsx';
import { Table } from '../components/list.tsx';
import { Screen } from '../components/screen.tsx';
import { capital, wordsOf } from '../components/text.ts';
import { Foreign, Id, Time } from '../components/values.tsx';
import { InWorkspace } from '../components/workspace.tsx';

const KINDS = ['development', 'staging', 'production'] as const;
const DEFAULTS = ['allow', 'require_approval'] as const;

export function EnvironmentsScreen() {
  return <InWorkspace>{(environment) => <Environments of={environment} />}</InWorkspace>;
}

function Environments({ of: { workspaceId, workspaceName } }: { of: Environment }) {
  const environments = (useEnvironments().data ?? []).filter((one) => one.workspaceId === workspaceId);
  return (
    <Screen title="Environments" kicker={workspaceName} actions={<NewEnvironment workspaceId={workspaceId} />}>
      <Table
        label="environments"
        rows={environments}
        idOf={({ id }) => id}
        columns={[
          { title: 'Name', cell: ({ name }) => <Foreign>{name}</Foreign> },
          {
            title: 'State',
            cell: ({ haltedAt }) =>
              haltedAt === null ? (
                <Badge of="running" words="Runs" />
              ) : (
                <>
                  <Badge of="halted" /> <Time at={haltedAt} />
                </>
              ),
          },
          { title: 'Kind', cell: ({ kind }) => capital(kind) },
          { title: 'Protected', cell: ({ protected: isProtected }) => (isProtected ? 'Yes' : 'No') },
          {
            title: 'Without a policy',
            on: 'wide',
            cell: ({ approvalDefault }) =>
              approvalDefault === null ? 'By its kind' : capital(wordsOf(approvalDefault)),
          },
          { title: 'Id', on: 'wide', cell: ({ id }) => <Id value={id} short /> },
          { title: 'Do', cell: (environment) => <Acts of={environment} /> },
        ]}
      />
    </Screen>
  );
}

function Acts({ of: environment }: { of: Environment }) {
  const path = { workspaceId: environment.workspaceId, environmentId: environment.id };
  const typed = environment.protected ? environment.name : undefined;
  return (
    <span className="actions">
      {environment.haltedAt === null ? (
        <FormDialog
          open="Halt"
          title={`Halt ${environment.name}`}
          tone="danger"
          typed={environment.name}
          fields={[{ name: 'reason', label: 'Why', kind: 'area', required: true, hint: 'Every refusal says it.' }]}
          change={({ reason = '' }) =>
            call('post', '/api/v2/workspaces/{workspaceId}/environments/{environmentId}/halt', {
              path,
              body: { reason },
            })
          }
        >
          <p>Nothing is sent until somebody resumes it. Invocations are refused, messages wait.</p>
        </FormDialog>
      ) : (
        <FormDialog
          open="Resume"
          title={`Resume ${environment.name}`}
          tone="primary"
          typed={typed}
          change={() => call('post', '/api/v2/workspaces/{workspaceId}/environments/{environmentId}/resume', { path })}
        >
          <p>Agents may invoke again, and the messages that wait are sent.</p>
          {environment.haltedReason !== null && (
            <p>
              It was halted because: <Foreign>{environment.haltedReason}</Foreign>
            </p>
          )}
        </FormDialog>
      )}
      <FormDialog
        open="Change"
        title={`Change ${environment.name}`}
        submit="Save"
        typed={typed}
        fields={fieldsOf(environment)}
        change={({ name = '', protect, secondFactor, approvalDefault = '' }) =>
          call('patch', '/api/v2/workspaces/{workspaceId}/environments/{environmentId}', {
            path,
            body: {
              name,
              protected: protect === CHECKED,
              requireSecondFactor: secondFactor === CHECKED,
              approvalDefault: approvalDefault === '' ? null : (approvalDefault as (typeof DEFAULTS)[number]),
            },
          })
        }
      />
    </span>
  );
}

function fieldsOf(environment?: Environment): Field[] {
  return [
    { name: 'name', label: 'Name', required: true, initial: environment?.name ?? '' },
    {
      name: 'protect',
      label: 'Protected',
      kind: 'check',
      hint: 'What destroys asks for its name.',
      initial: environment?.protected === true ? CHECKED : '',
    },
    {
      name: 'secondFactor',
      label: 'Require a passkey',
      kind: 'check',
      hint: 'Who has none decides, resolves, replays, halts and makes keys no more.',
      initial: environment?.requireSecondFactor === true ? CHECKED : '',
    },
    {
      name: 'approvalDefault',
      label: 'A request that no policy decides',
      kind: 'choice',
      options: DEFAULTS,
      initial: environment?.approvalDefault ?? '',
      hint: 'Left empty: by its kind.',
    },
  ];
}

function NewEnvironment({ workspaceId }: { workspaceId: string }) {
  return (
    <FormDialog
      open="New environment"
      title="A new environment"
      submit="Create"
      tone="primary"
      fields={[
        ...fieldsOf().slice(0, 2),
        { name: 'kind', label: 'Kind', kind: 'choice', options: KINDS, required: true, hint: 'It cannot be changed.' },
      ]}
      change={({ name = '', protect, kind }) =>
        call('post', '/api/v2/workspaces/{workspaceId}/environments', {
          path: { workspaceId },
          body: { name, kind: kind as (typeof KINDS)[number], protected: protect === CHECKED },
        })
      }
    />
  );
}
