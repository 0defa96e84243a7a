import { useQueries } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { call, type Schema } from '../api/client.ts';
import { useKeptError } from '../api/queries.ts';
import { Badge } from './badge.tsx';
import { useEnvironmentId, useSearchText } from './location.ts';
import { Failure, Loading } from './states.tsx';
import { durationText } from './text.ts';
import { Foreign } from './values.tsx';

type Span = Schema<'Span'>;
type Run = Pick<Schema<'RunWithCounts'>, 'id' | 'startedAt' | 'endedAt'>;

const ROW_PX = 32;
const PAGE_MAX = 100;
const INDENT_PX = 16;
/** The level of spans without a parent. */
const ROOT = '';
const INITIAL: Open = { [ROOT]: 1 };

/** A place in the tree: a level that is open, and how many of its pages were asked for. */
type Open = Readonly<Record<string, number>>;

type Row = { depth: number } & ({ span: Span } | { more: string; pages: number; rest: number });

/** One level at a time, rows only for what is seen: a trace of 10,000 spans opens as fast as one of ten. */
export function SpanTree({ run }: { run: Run }) {
  const environmentId = useEnvironmentId();
  const [open, setOpen] = useState(INITIAL);
  const asked = Object.entries(open).flatMap(([parentId, pages]) =>
    Array.from({ length: pages }, (_, at) => ({ parentId, page: at + 1 })),
  );
  const reads = useQueries({
    queries: asked.map(({ parentId, page }) => ({
      queryKey: ['runs', environmentId ?? null, 'spans', run.id, parentId, page],
      queryFn: () =>
        call('get', '/api/v2/runs/{id}/spans', {
          path: { id: run.id },
          query: { page, limit: PAGE_MAX, ...(parentId === ROOT ? {} : { parentId }) },
          environmentId,
        }),
    })),
  });
  const roots = reads[0]?.data;
  useEffect(() => {
    // A run with one span at its top is about what stands below it.
    const [only, ...others] = roots?.data ?? [];
    if (only === undefined || others.length > 0 || only.childCount === 0) return;
    setOpen((now) => (now === INITIAL ? { ...now, [only.id]: 1 } : now));
  }, [roots]);
  const failed = reads.find(
    ({ data, error, errorUpdateCount }) => error !== null || (data === undefined && errorUpdateCount > 0),
  );
  const error = useKeptError(failed);
  const rows = useMemo(() => rowsOf(open, asked, reads), [open, asked, reads]);
  if (failed !== undefined && error !== null) return <Failure error={error} retry={failed.refetch} />;
  if (reads[0]?.data === undefined) return <Loading />;
  if (rows.length === 0) return <p className="quiet">It has no spans.</p>;
  const toggle = (id: string): void => setOpen((now) => (id in now ? without(now, id) : { ...now, [id]: 1 }));
  const more = (id: string, pages: number): void => setOpen((now) => ({ ...now, [id]: pages + 1 }));
  return <Waterfall rows={rows} run={run} open={open} toggle={toggle} more={more} />;
}

function without(open: Open, id: string): Open {
  const { [id]: _closed, ...rest } = open;
  return rest;
}

interface Level {
  spans: Span[];
  total: number;
}

function rowsOf(
  open: Open,
  asked: readonly { parentId: string; page: number }[],
  reads: readonly { data: { data: Span[]; pagination: { total: number } } | undefined }[],
): Row[] {
  const levels = new Map<string, Level>();
  asked.forEach(({ parentId }, at) => {
    const read = reads[at]?.data;
    if (read === undefined) return;
    const level = levels.get(parentId) ?? { spans: [], total: read.pagination.total };
    levels.set(parentId, { spans: [...level.spans, ...read.data], total: read.pagination.total });
  });
  const below = (parentId: string, depth: number): Row[] => {
    const level = levels.get(parentId);
    if (level === undefined) return [];
    const rows = level.spans.flatMap((span): Row[] => [
      { span, depth },
      ...(span.id in open ? below(span.id, depth + 1) : []),
    ]);
    const rest = level.total - level.spans.length;
    return rest > 0 ? [...rows, { more: parentId, pages: open[parentId] ?? 1, rest, depth }] : rows;
  };
  return below(ROOT, 0);
}

interface WaterfallProps {
  rows: readonly Row[];
  run: Run;
  open: Open;
  toggle: (id: string) => void;
  more: (id: string, pages: number) => void;
}

function Waterfall({ rows, run, open, toggle, more }: WaterfallProps) {
  const place = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  const begin = Date.parse(run.startedAt);
  const end = run.endedAt === null ? Date.now() : Date.parse(run.endedAt);
  return (
    <div className="waterfall" ref={place} role="table" aria-label="spans" aria-rowcount={rows.length} tabIndex={0}>
      <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 1}
              className="span"
              style={{ transform: `translateY(${start}px)` }}
            >
              {'span' in row ? (
                <SpanRow
                  row={row}
                  isOpen={row.span.id in open}
                  toggle={toggle}
                  begin={begin}
                  length={Math.max(1, end - begin)}
                />
              ) : (
                <span role="cell" style={{ paddingLeft: row.depth * INDENT_PX }}>
                  <button type="button" className="link" onClick={() => more(row.more, row.pages)}>
                    {row.rest} more
                  </button>
                </span>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function SpanRow({
  row: { span, depth },
  isOpen,
  toggle,
  begin,
  length,
}: {
  row: { span: Span; depth: number };
  isOpen: boolean;
  toggle: (id: string) => void;
  begin: number;
  length: number;
}) {
  const { search, change } = useSearchText();
  const isChosen = search['span'] === span.id;
  const at = Math.min(100, Math.max(0, ((Date.parse(span.startedAt) - begin) / length) * 100));
  const width = Math.min(100 - at, Math.max(0.5, ((span.durationMs ?? 0) / length) * 100));
  return (
    <>
      <span role="cell" className="span-name" style={{ paddingLeft: depth * INDENT_PX }}>
        {span.childCount > 0 ? (
          <button
            type="button"
            className="twist"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Close' : 'Open'} the ${span.childCount} below ${span.name}`}
            onClick={() => toggle(span.id)}
          >
            {isOpen ? '▾' : '▸'}
          </button>
        ) : (
          <span className="twist" />
        )}
        <button
          type="button"
          className="link"
          aria-current={isChosen ? 'true' : undefined}
          onClick={() => change({ span: isChosen ? undefined : span.id }, { replace: true })}
        >
          <Foreign>{span.name}</Foreign>
        </button>
        {span.status !== 'succeeded' && <Badge of={span.status} />}
      </span>
      <span role="cell" className="span-time">
        <span className={`span-bar ${span.status}`} style={{ marginLeft: `${at}%`, width: `${width}%` }} />
        <span className="quiet">{span.durationMs === null ? 'running' : durationText(span.durationMs)}</span>
      </span>
    </>
  );
}
