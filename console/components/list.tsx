import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { lastOwnChange } from '../api/queries.ts';
import { Filters, type Filter } from './filters.tsx';
import { useEnvironmentId, useInEnvironment, useSearchText } from './location.ts';
import { When } from './screen.tsx';
import { useStableRows } from './stable-rows.ts';
import { NothingMatches } from './states.tsx';
import { countOf, countText } from './text.ts';

export const PAGE_SIZE = 50;

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand right. */
  align?: 'right';
  /** `wide`: left out where the screen is narrow. */
  on?: 'wide';
}

interface Listed<Row> {
  data: readonly Row[];
  pagination: { page: number; limit: number; total: number };
}

export interface ListProps<Row> {
  read: UseQueryResult<Listed<Row>>;
  /** "effect", "effects". */
  noun: readonly [singular: string, plural: string];
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  /** The screen of a row, without `/e/{id}`. Its first column is the link. */
  pathOf?: ((row: Row) => string) | undefined;
  filters?: readonly Filter[];
  nothingYet: ReactNode;
  tools?: ReactNode;
}

/** Filters, rows and pages of a list: the address holds all three. */
export function List<Row>(props: ListProps<Row>) {
  const { search, change } = useSearchText();
  const filters = props.filters ?? [];
  const isFiltered = filters.some(({ name }) => (search[name] ?? '') !== '');
  const clear = (): void =>
    change(Object.fromEntries([...filters.map(({ name }) => [name, undefined]), ['page', undefined]]));
  return (
    <>
      {(filters.length > 0 || props.tools !== undefined) && (
        <div className="tools">
          {filters.length > 0 && <Filters filters={filters} />}
          {props.tools}
        </div>
      )}
      <When read={props.read}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            isFiltered || pagination.page > 1 ? (
              <NothingMatches clear={clear} />
            ) : (
              props.nothingYet
            )
          ) : (
            <Rows {...props} items={data} pagination={pagination} />
          )
        }
      </When>
    </>
  );
}

type RowsProps<Row> = ListProps<Row> & { items: readonly Row[]; pagination: Listed<Row>['pagination'] };

function Rows<Row>({ read, items, pagination, columns, idOf, pathOf, noun, filters }: RowsProps<Row>) {
  const { search } = useSearchText();
  const environmentId = useEnvironmentId();
  const own = read.dataUpdatedAt >= lastOwnChange() ? lastOwnChange() : 0;
  // The address is ahead of the rows: until those of its filters are there, those of the ones before are shown.
  const isAhead = read.isPlaceholderData;
  const key = JSON.stringify([
    own,
    environmentId,
    isAhead,
    pagination.page,
    ...(filters ?? []).map(({ name }) => search[name] ?? ''),
  ]);
  const { rows, fresh, accept } = useStableRows(items, { key, idOf, limit: pagination.limit });
  return (
    <>
      <p className="count" role="status">
        {countOf(pagination.total, ...noun)}
        {fresh > 0 && (
          <button type="button" className="fresh" onClick={accept}>
            {countText(fresh)} new
          </button>
        )}
      </p>
      <Table rows={rows} columns={columns} idOf={idOf} pathOf={pathOf} label={noun[1]} />
      <Pages {...pagination} />
    </>
  );
}

export interface TableProps<Row> {
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  pathOf?: ((row: Row) => string) | undefined;
  label: string;
  /** What is said in place of a table without rows. */
  nothing?: string;
}

export function Table<Row>({ rows, columns, idOf, pathOf, label, nothing }: TableProps<Row>) {
  const inEnvironment = useInEnvironment();
  const navigate = useNavigate();
  const open = (target: EventTarget, to: string): void => {
    const isOwn = target instanceof Element && target.closest('a, button, input, select, summary') !== null;
    if (!isOwn && window.getSelection()?.isCollapsed !== false) void navigate({ to });
  };
  if (nothing !== undefined && rows.length === 0) return <p className="quiet">{nothing}</p>;
  return (
    <table className="rows" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ title, align, on }) => (
            <th key={title} scope="col" className={classOf(align, on)}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const to = pathOf === undefined ? undefined : inEnvironment(pathOf(row));
          return (
            // The link in the first cell serves keyboard and screen reader; a click beside it is a convenience of the mouse.
            <tr
              key={idOf(row)}
              data-row={to ?? ''}
              onClick={to === undefined ? undefined : (event) => open(event.target, to)}
            >
              {columns.map(({ title, cell, align, on }, index) => (
                <td key={title} data-title={title} className={classOf(align, on)}>
                  <div>{index === 0 && to !== undefined ? <Link to={to}>{cell(row)}</Link> : cell(row)}</div>
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const classOf = (align?: string, on?: string): string => [align, on].filter(Boolean).join(' ');

function Pages({ page, limit, total }: { page: number; limit: number; total: number }) {
  const { change } = useSearchText();
  const last = Math.max(1, Math.ceil(total / limit));
  if (last === 1) return null;
  return (
    <nav className="pages" aria-label="Pages">
      <button
        type="button"
        disabled={page <= 1}
        onClick={() => change({ page: page === 2 ? undefined : String(page - 1) })}
      >
        Newer
      </button>
      <span>
        Page {countText(page)} of {countText(last)}
      </span>
      <button type="button" disabled={page >= last} onClick={() => change({ page: String(page + 1) })}>
        Older
      </button>
    </nav>
  );
}

/** The query of a list: its page and those filters that are set. */
export function useListQuery(names: readonly string[]): { page: number; limit: number } & Record<string, string> {
  const { search } = useSearchText();
  const set = names.flatMap((name) =>
    search[name] === undefined || search[name] === '' ? [] : [[name, search[name]]],
  );
  const page = Number(search['page'] ?? 1);
  return {
    ...(Object.fromEntries(set) as Record<string, string>),
    page: Number.isInteger(page) && page > 0 ? page : 1,
    limit: PAGE_SIZE,
  } as { page: number; limit: number } & Record<string, string>;
}
