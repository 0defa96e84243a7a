import { useNavigate, useParams } from '@tanstack/react-router';
import { call, type Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { Diff } from '../components/diff.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { To } from '../components/link.tsx';
import { Table } from '../components/list.tsx';
import { useEnvironmentId, useInEnvironment, useSearchText } from '../components/location.ts';
import { PlanPolicies } from '../components/plan-policies.tsx';
import { useTypedName } from '../components/protection.ts';
import { Screen, Section, When } from '../components/screen.tsx';
import { isoDurationText, jsonText, wordsOf } from '../components/text.ts';
import { Code, Fields, Foreign, Id, Json, Time } from '../components/values.tsx';

type Policy = Schema<'ApprovalPolicy'>;
type Rule = Policy['document']['rules'][number];

export function PolicyScreen() {
  const { id: policyId = '' } = useParams({ strict: false });
  const read = useRead('approval-policies', '/api/v2/approval-policies/{policyId}', { path: { policyId } });
  const policy = read.data?.data;
  return (
    <Screen
      title={policy?.name ?? 'Policy'}
      kicker={<To path="/policies">Approval policies</To>}
      actions={policy === undefined || policy.archivedAt !== null ? undefined : <Acts policy={policy} />}
    >
      <When read={read}>{({ data }) => <Content policy={data} />}</When>
    </Screen>
  );
}

function Acts({ policy }: { policy: Policy }) {
  const environmentId = useEnvironmentId();
  const inEnvironment = useInEnvironment();
  const navigate = useNavigate();
  const typed = useTypedName();
  const at = { path: { policyId: policy.id }, environmentId };
  return (
    <>
      <PlanPolicies open="Change" initial={jsonText(policy.document)} />
      <To path="/policies/test" search={{ policy: policy.id }} className="button">
        Test
      </To>
      <FormDialog
        open={policy.enabled ? 'Disable' : 'Enable'}
        title={policy.enabled ? 'Disable this policy' : 'Enable this policy'}
        tone={policy.enabled ? 'danger' : 'primary'}
        typed={policy.enabled ? typed : undefined}
        change={(_, idempotencyKey) =>
          call('patch', '/api/v2/approval-policies/{policyId}', {
            ...at,
            idempotencyKey,
            body: { enabled: !policy.enabled },
          })
        }
      >
        <p>
          {policy.enabled
            ? 'It decides nothing any more, from the next request on.'
            : 'It decides from the next request on.'}
        </p>
      </FormDialog>
      <FormDialog
        open="Delete"
        title="Delete this policy"
        submit="Delete"
        tone="danger"
        typed={typed ?? policy.name}
        change={async (_, idempotencyKey) => {
          await call('delete', '/api/v2/approval-policies/{policyId}', { ...at, idempotencyKey });
          await navigate({ to: inEnvironment('/policies') });
        }}
      >
        <p>It decides nothing any more. Its versions stay readable.</p>
      </FormDialog>
    </>
  );
}

function Content({ policy }: { policy: Policy }) {
  return (
    <>
      <p className="lead">
        <Badge of={policy.archivedAt !== null ? 'archived' : policy.enabled ? 'enabled' : 'disabled'} />
        <span className="quiet">
          Priority {policy.priority}, version {policy.version}, changed <Time at={policy.updatedAt} distance />
        </span>
      </p>
      <Section title="Rules, in their order">
        <ol className="rules">
          {policy.document.rules.map((rule) => (
            <RuleEntry key={rule.id} rule={rule} />
          ))}
        </ol>
      </Section>
      <Versions policy={policy} />
      <Section title="The document">
        <Json value={policy.document} label="document" />
      </Section>
    </>
  );
}

const EFFECTS: Readonly<Record<Rule['effect'], string>> = {
  allow: 'Allows',
  require_approval: 'Asks a person',
  deny: 'Denies',
};

function RuleEntry({ rule: { id, match, when, effect, approval } }: { rule: Rule }) {
  const matched = Object.entries(match).filter(([, values]) => values !== undefined);
  return (
    <li>
      <p>
        <strong>{EFFECTS[effect]}</strong> <code>{id}</code>
      </p>
      <Fields
        rows={{
          For:
            matched.length === 0 ? (
              'every request'
            ) : (
              <Foreign>{matched.map(([kind, values]) => `${kind} ${values.join(', ')}`).join('; ')}</Foreign>
            ),
          When: when !== undefined && <Code text={when} label="condition" />,
          Approvals: approval !== undefined && approval.quorum,
          By: approval?.approvers.roles !== undefined && approval.approvers.roles.join(', '),
          Within: approval !== undefined && isoDurationText(approval.expiresIn),
        }}
      />
    </li>
  );
}

function Versions({ policy }: { policy: Policy }) {
  const { search, change } = useSearchText();
  const path = { policyId: policy.id };
  const read = useRead('approval-policies', '/api/v2/approval-policies/{policyId}/versions', { path });
  const chosen = search['version'];
  return (
    <Section title="Versions">
      <When read={read}>
        {({ data }) => (
          <Table
            label="versions"
            rows={data}
            idOf={({ digest, version }) => `${version} ${digest}`}
            columns={[
              {
                title: 'Version',
                cell: ({ version }) =>
                  version === policy.version ? (
                    `${version}, in use`
                  ) : (
                    <button
                      type="button"
                      className="link"
                      onClick={() =>
                        change({ version: chosen === String(version) ? undefined : String(version) }, { replace: true })
                      }
                    >
                      {version}, compare
                    </button>
                  ),
              },
              {
                title: 'By',
                cell: ({ createdBy }) => (
                  <>
                    {wordsOf(createdBy.type)} <Id value={createdBy.id} short />
                  </>
                ),
              },
              { title: 'Made', cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </When>
      {chosen !== undefined && <Compared policy={policy} version={chosen} />}
    </Section>
  );
}

function Compared({ policy, version }: { policy: Policy; version: string }) {
  const read = useRead('approval-policies', '/api/v2/approval-policies/{policyId}/versions/{version}', {
    path: { policyId: policy.id, version },
  });
  return (
    <>
      <h3>
        From version {version} to version {policy.version}
      </h3>
      <When read={read}>
        {({ data }) => <Diff before={jsonText(data.document)} after={jsonText(policy.document)} />}
      </When>
    </>
  );
}
