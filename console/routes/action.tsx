import { useParams } from '@tanstack/react-router';
import type { Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { ArchiveAction, NewVersion } from '../components/action-forms.tsx';
import { Badge } from '../components/badge.tsx';
import { To } from '../components/link.tsx';
import { Table } from '../components/list.tsx';
import { Screen, Section, When } from '../components/screen.tsx';
import { capital, wordsOf } from '../components/text.ts';
import { Duration, Fields, Foreign, Id, Json, Time } from '../components/values.tsx';

type Action = Schema<'Action'>;

export function ActionScreen() {
  const { name: ref = '' } = useParams({ strict: false }) as { name?: string };
  const read = useRead('actions', '/api/v2/actions/{ref}', { path: { ref } });
  const action = read.data?.data;
  const isArchived = action !== undefined && action.archivedAt !== null;
  return (
    <Screen
      title={ref}
      kicker={<To path="/actions">Actions</To>}
      actions={
        action === undefined || isArchived ? undefined : (
          <>
            {action.governed && (
              <To path={`/actions/${action.name}/preview`} className="button">
                Preview
              </To>
            )}
            <NewVersion action={action} />
            <ArchiveAction name={action.name} />
          </>
        )
      }
    >
      <When read={read}>{({ data }) => <Content action={data} />}</When>
    </Screen>
  );
}

function Content({ action }: { action: Action }) {
  return (
    <>
      <p className="lead">
        {action.archivedAt === null ? (
          <Badge of={action.governed ? 'active' : 'plain'} words={action.governed ? 'Governed' : 'Plain'} />
        ) : (
          <Badge of="archived" />
        )}
        <Foreign>{action.description}</Foreign>
      </p>
      <div className="columns">
        <div>
          <Section title="What it calls">
            <Json value={action.adapter.config} label="configuration" />
          </Section>
          {action.impact.length > 0 && (
            <Section title="Impact that it declares">
              <Json value={action.impact} label="impact" />
            </Section>
          )}
          <Section title="Input">
            <Json value={action.inputSchema} label="input schema" />
          </Section>
          <Versions name={action.name} />
        </div>
        <aside>
          <Facts action={action} />
        </aside>
      </div>
    </>
  );
}

function Facts({ action }: { action: Action }) {
  const { approval, verify } = action;
  return (
    <Section title="Facts">
      <Fields
        rows={{
          Action: <Id value={action.id} />,
          Adapter: `${action.adapter.type}, version ${action.adapter.version}`,
          Version: action.currentVersion.number,
          'Asks a person': approval.required ? 'Always' : 'Where a policy says so',
          Tag: approval.tag !== undefined && <Foreign>{approval.tag}</Foreign>,
          'Checks the outcome': verify === undefined ? 'By the answer alone' : 'Reads it back at the provider',
          'Time-out': <Duration ms={action.timeoutMs} />,
          'Own tool of MCP clients': action.mcp.pinned && 'Yes',
          Created: <Time at={action.createdAt} distance />,
          Changed: <Time at={action.updatedAt} distance />,
          'What it did': (
            <>
              <To path="/effects" search={{ action: action.name }}>
                Effects
              </To>
              {', '}
              <To path="/invocations" search={{ action: action.name }}>
                invocations
              </To>
            </>
          ),
        }}
      />
    </Section>
  );
}

function Versions({ name }: { name: string }) {
  const read = useRead('actions', '/api/v2/actions/{ref}/versions', { path: { ref: name } });
  return (
    <Section title="Versions">
      <When read={read}>
        {({ data }) => (
          <Table
            label="versions"
            rows={data}
            idOf={({ id }) => id}
            pathOf={({ number }) => `/actions/${name}/versions/${number}`}
            columns={[
              { title: 'Version', cell: ({ number }) => `Version ${number}` },
              { title: 'Why', cell: ({ changeNote }) => <Foreign>{changeNote}</Foreign> },
              {
                title: 'By',
                on: 'wide',
                cell: ({ createdBy }) => (
                  <>
                    {capital(wordsOf(createdBy.type))} <Id value={createdBy.id} short />
                  </>
                ),
              },
              { title: 'Made', cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </When>
    </Section>
  );
}
