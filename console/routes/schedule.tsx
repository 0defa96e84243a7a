import { useParams } from '@tanstack/react-router';
import { call, type Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { Deletion } from '../components/deletion.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { To } from '../components/link.tsx';
import { Table } from '../components/list.tsx';
import { useEnvironmentId } from '../components/location.ts';
import { useTypedName } from '../components/protection.ts';
import { Screen, Section, When } from '../components/screen.tsx';
import { durationText, wordsOf } from '../components/text.ts';
import { Elapsed, Fields, Foreign, Id, Json, None, Time } from '../components/values.tsx';

type Schedule = Schema<'Schedule'>;

const FIRINGS_SHOWN = 50;
const TIMES_SHOWN = 10;

export function ScheduleScreen() {
  const { id: scheduleId = '' } = useParams({ strict: false });
  const read = useRead('schedules', '/api/v2/schedules/{scheduleId}', { path: { scheduleId } });
  const schedule = read.data?.data;
  return (
    <Screen
      title={schedule === undefined ? 'Schedule' : (schedule.name ?? schedule.cron)}
      kicker={<To path="/schedules">Schedules</To>}
      actions={schedule === undefined ? undefined : <Acts schedule={schedule} />}
    >
      <When read={read}>{({ data }) => <Content schedule={data} />}</When>
    </Screen>
  );
}

function Acts({ schedule: { id: scheduleId, paused } }: { schedule: Schedule }) {
  const environmentId = useEnvironmentId();
  const typed = useTypedName();
  const at = { path: { scheduleId }, environmentId };
  return (
    <>
      <FormDialog
        open="Run now"
        title="Fire it once, now"
        submit="Run"
        tone="primary"
        change={(_, idempotencyKey) => call('post', '/api/v2/schedules/{scheduleId}/run', { ...at, idempotencyKey })}
      >
        <p>Its message is published at once. Its own times stay as they are.</p>
      </FormDialog>
      {paused ? (
        <FormDialog
          open="Resume"
          title="Resume this schedule"
          change={(_, idempotencyKey) =>
            call('post', '/api/v2/schedules/{scheduleId}/resume', { ...at, idempotencyKey })
          }
        >
          <p>It fires at its next time. What fell into the pause is not made up for.</p>
        </FormDialog>
      ) : (
        <FormDialog
          open="Pause"
          title="Pause this schedule"
          change={(_, idempotencyKey) =>
            call('post', '/api/v2/schedules/{scheduleId}/pause', { ...at, idempotencyKey })
          }
        >
          <p>It does not fire until somebody resumes it.</p>
        </FormDialog>
      )}
      <Deletion
        title="Delete this schedule"
        back="/schedules"
        remove={(idempotencyKey) => {
          const query = typed === undefined ? {} : { confirmProtected: 'true' as const };
          return call('delete', '/api/v2/schedules/{scheduleId}', { ...at, query, idempotencyKey });
        }}
      />
    </>
  );
}

function Content({ schedule }: { schedule: Schedule }) {
  const { cron, timezone, overlap, catchUpSeconds, destination } = schedule;
  return (
    <>
      <p className="lead">
        <Badge of={schedule.paused ? 'paused' : 'active'} /> <code>{cron}</code>{' '}
        <span className="quiet">{timezone}</span>
      </p>
      <div className="columns">
        <div>
          <Firings scheduleId={schedule.id} />
          <Section title="What it publishes">
            <Json value={destination} label="destination" />
          </Section>
        </div>
        <aside>
          <NextTimes cron={cron} timezone={timezone} isPaused={schedule.paused} />
          <Section title="Facts">
            <Fields
              rows={{
                Schedule: <Id value={schedule.id} />,
                'If one is still under way': wordsOf(overlap),
                'Makes up for': catchUpSeconds > 0 && durationText(catchUpSeconds * 1_000),
                Created: <Time at={schedule.createdAt} distance />,
                Changed: <Time at={schedule.updatedAt} distance />,
              }}
            />
          </Section>
        </aside>
      </div>
    </>
  );
}

function NextTimes({ cron, timezone, isPaused }: { cron: string; timezone: string; isPaused: boolean }) {
  const read = useRead('schedules', '/api/v2/schedules/preview', { query: { cron, timezone } });
  return (
    <Section title={isPaused ? 'Its times, when it is resumed' : 'Next times'}>
      <When read={read}>
        {({ data: { times } }) => (
          <ol>
            {times.slice(0, TIMES_SHOWN).map((time) => (
              <li key={time}>
                <Time at={time} distance />
              </li>
            ))}
          </ol>
        )}
      </When>
    </Section>
  );
}

function Firings({ scheduleId }: { scheduleId: string }) {
  const read = useRead('schedules', '/api/v2/schedules/{scheduleId}/runs', {
    path: { scheduleId },
    query: { limit: FIRINGS_SHOWN },
  });
  return (
    <Section title="Last firings">
      <When read={read}>
        {({ data }) => (
          <Table
            nothing="It has not fired yet."
            label="firings"
            rows={data}
            idOf={({ nominalTime, firedAt }) => `${nominalTime} ${firedAt}`}
            columns={[
              { title: 'For', cell: ({ nominalTime }) => <Time at={nominalTime} /> },
              { title: 'Outcome', cell: ({ outcome }) => <Badge of={outcome} /> },
              {
                title: 'Late',
                align: 'right',
                cell: ({ trigger, nominalTime, firedAt }) =>
                  trigger === 'manual' ? 'By hand' : <Elapsed from={nominalTime} to={firedAt} />,
              },
              {
                title: 'Messages',
                cell: ({ messages, error }) =>
                  error === null ? (
                    messages.length === 0 ? (
                      <None />
                    ) : (
                      messages.map(({ messageId, status }) => (
                        <To key={messageId} path={`/messages/${messageId}`}>
                          {wordsOf(status ?? 'gone')}
                        </To>
                      ))
                    )
                  ) : (
                    <Foreign>{error.message}</Foreign>
                  ),
              },
            ]}
          />
        )}
      </When>
    </Section>
  );
}
