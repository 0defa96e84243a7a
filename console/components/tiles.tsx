import { useRead } from '../api/queries.ts';
import { To } from './link.tsx';
import { When } from './screen.tsx';
import { countText, percentText } from './text.ts';

/** The numbers of a time, each a way to the list that it counts. */
export function Tiles({ from }: { from: string }) {
  const read = useRead('analytics', '/api/v2/analytics/overview', { query: { from } });
  return (
    <When read={read}>
      {({ data: { invocations, effects, approvals, messages, runs, schedules } }) => (
        <ul className="tiles">
          <Tile
            to="/invocations"
            name="Invocations"
            value={countText(invocations.created)}
            note={`${countText(invocations.failed + invocations.unknown)} failed or unknown`}
          />
          <Tile
            to="/effects"
            name="Effects confirmed"
            value={effects.confirmedShare === null ? '–' : percentText(effects.confirmedShare)}
            note={`${countText(effects.unknownNow.count)} unknown now`}
          />
          <Tile
            to="/invocations"
            search={{ status: 'pending_approval' }}
            name="Approvals"
            value={countText(approvals.requested)}
            note={`${countText(approvals.denied)} denied`}
          />
          <Tile
            to="/messages"
            name="Delivered"
            value={messages.deliveryRate === null ? '–' : percentText(messages.deliveryRate)}
            note={`${countText(messages.failed)} failed`}
          />
          <Tile to="/runs" name="Runs" value={countText(runs.started)} note={`${countText(runs.failed)} failed`} />
          <Tile
            to="/schedules"
            name="Firings"
            value={countText(schedules.firings)}
            note={`${countText(schedules.failed + schedules.missed)} failed or missed`}
          />
        </ul>
      )}
    </When>
  );
}

function Tile({
  to,
  search,
  name,
  value,
  note,
}: {
  to: string;
  search?: Record<string, string>;
  name: string;
  value: string;
  note: string;
}) {
  return (
    <li>
      <To path={to} {...(search === undefined ? {} : { search })}>
        <span className="quiet">{name}</span>
        <strong>{value}</strong>
        <span className="quiet">{note}</span>
      </To>
    </li>
  );
}
