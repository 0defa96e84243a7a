import { type Panel, ROWS } from './panels.ts';

/**
 * The dashboard of the service as code: `npm run ops:dashboard` writes agent-actions.json beside it, which Grafana 10 and later imports.
 * The place of a panel follows from its order.
 */

/** Every query of the dashboard. */
export const QUERIES: readonly string[] = ROWS.flatMap(({ panels }) =>
  panels.flatMap(({ asks }) => Object.values(asks)),
);

const COLUMNS = 24;
const HEIGHT = 7;
const SOURCE = { type: 'prometheus', uid: '${datasource}' };

export function dashboard(): object {
  const panels: object[] = [];
  let top = 0;
  for (const row of ROWS) {
    const id = (): number => panels.length + 1;
    panels.push({
      id: id(),
      type: 'row',
      title: row.title,
      collapsed: false,
      panels: [],
      gridPos: { h: 1, w: COLUMNS, x: 0, y: top },
    });
    const isOfNumbers = row.panels.every(({ bad }) => bad !== undefined);
    const [across, height] = isOfNumbers ? [row.panels.length, 4] : [3, HEIGHT];
    for (const [at, panel] of row.panels.entries()) {
      const width = COLUMNS / across;
      const gridPos = { h: height, w: width, x: (at % across) * width, y: top + 1 + Math.floor(at / across) * height };
      panels.push(panelOf(panel, id(), gridPos));
    }
    top += 1 + Math.ceil(row.panels.length / across) * height;
  }
  return {
    uid: 'agent-actions',
    title: 'Agent actions',
    tags: ['agent-actions'],
    schemaVersion: 39,
    editable: true,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    templating: { list: [dataSourceVariable(), instanceVariable()] },
    panels,
  };
}

function panelOf({ title, unit, asks, bad }: Panel, id: number, gridPos: object): object {
  const targets = Object.entries(asks).map(([legendFormat, expr], at) => ({
    refId: 'ABCDEFGH'[at],
    datasource: SOURCE,
    expr,
    legendFormat,
  }));
  const steps = [{ color: 'green', value: null }, ...(bad === undefined ? [] : [{ color: 'red', value: bad }])];
  return {
    id,
    type: bad === undefined ? 'timeseries' : 'stat',
    title,
    datasource: SOURCE,
    gridPos,
    fieldConfig: { defaults: { unit, thresholds: { mode: 'absolute', steps } }, overrides: [] },
    options:
      bad === undefined
        ? { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } }
        : { colorMode: 'background', reduceOptions: { calcs: ['lastNotNull'] } },
    targets,
  };
}

const dataSourceVariable = (): object => ({ name: 'datasource', type: 'datasource', query: 'prometheus' });

const instanceVariable = (): object => ({
  name: 'instance',
  type: 'query',
  datasource: SOURCE,
  query: 'label_values(agent_actions_build_info, instance)',
  includeAll: true,
  multi: true,
  refresh: 2,
  current: { text: 'All', value: '$__all' },
});
