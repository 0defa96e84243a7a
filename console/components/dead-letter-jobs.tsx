import { call } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from './badge.tsx';
import { FormDialog } from './dialog.tsx';
import { Table } from './list.tsx';
import { useEnvironmentId } from './location.ts';
import { Section, When } from './screen.tsx';
import { capital, countText } from './text.ts';
import { Id, None, Time } from './values.tsx';

const SHOWN_MAX = 10;

/** Retries and deletions of many, which go on by themselves. */
export function DeadLetterJobs() {
  const environmentId = useEnvironmentId();
  const read = useRead('dlq', '/api/v2/dlq/jobs', { query: { limit: SHOWN_MAX } });
  return (
    <When read={read}>
      {({ data }) =>
        data.length > 0 && (
          <Section title="Retries and deletions of many">
            <Table
              label="jobs"
              rows={data}
              idOf={({ id }) => id}
              columns={[
                { title: 'What', cell: ({ kind }) => capital(kind) },
                { title: 'Status', cell: ({ status }) => <Badge of={status} /> },
                {
                  title: 'Done',
                  align: 'right',
                  cell: ({ done, total }) => `${countText(done)}${total === null ? '' : ` of ${countText(total)}`}`,
                },
                { title: 'Failed', align: 'right', cell: ({ failed }) => countText(failed) },
                { title: 'Began', cell: ({ createdAt }) => <Time at={createdAt} /> },
                { title: 'Job', on: 'wide', cell: ({ id }) => <Id value={id} short /> },
                {
                  title: 'Do',
                  cell: ({ id, status }) =>
                    status === 'running' || status === 'paused' ? (
                      <FormDialog
                        open="Stop"
                        title="Stop this job"
                        tone="danger"
                        change={(_, idempotencyKey) =>
                          call('post', '/api/v2/dlq/jobs/{jobId}/cancel', {
                            path: { jobId: id },
                            environmentId,
                            idempotencyKey,
                          })
                        }
                      >
                        <p>What it has done stays done.</p>
                      </FormDialog>
                    ) : (
                      <None />
                    ),
                },
              ]}
            />
          </Section>
        )
      }
    </When>
  );
}
