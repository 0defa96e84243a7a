import { type ReactNode, useEffect, useState } from 'react';
import { bothTimes, timeText, useClock } from './clock.tsx';
import { distanceText, durationText, jsonText, quantityText, type Quantity } from './text.ts';

const COPIED_MS = 1_500;

/** An id in monospace, whole for those who copy it. `short` cuts what is seen, not what is copied. */
export function Id({ value, short = false }: { value: string; short?: boolean }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = window.setTimeout(() => setCopied(false), COPIED_MS);
    return () => window.clearTimeout(timer);
  }, [isCopied]);
  const copy = (): void => void navigator.clipboard.writeText(value).then(() => setCopied(true));
  return (
    <span className="id">
      <code title={value}>{short && value.length > SHORT_CHARACTERS ? `…${value.slice(-SHORT_TAIL)}` : value}</code>
      <button type="button" className="copy" aria-label={`Copy ${value}`} onClick={copy}>
        <CopyIcon isDone={isCopied} />
      </button>
      <span className="unseen-text" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </span>
  );
}

/** Drawn, because fonts lack the sign. */
function CopyIcon({ isDone = false }: { isDone?: boolean }) {
  return (
    <svg
      width="14"
      height="14"
      viewBox="0 0 14 14"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.25"
      aria-hidden="true"
    >
      {isDone ? <path d="M2 7.5 5.5 11 12 3.5" /> : <path d="M4.5 4.5h7v8h-7zM2.5 9.5v-8h7" />}
    </svg>
  );
}

const SHORT_CHARACTERS = 14;
const SHORT_TAIL = 8;

export function Time({ at, distance = false }: { at: string | null | undefined; distance?: boolean }) {
  const { isUtc, now } = useClock();
  if (at === null || at === undefined) return <None />;
  const date = new Date(at);
  return (
    <time dateTime={at} title={bothTimes(date)}>
      {timeText(date, isUtc, now)}
      {distance && <span className="quiet"> ({distanceText(date, now)})</span>}
    </time>
  );
}

export function Duration({ ms }: { ms: number | null | undefined }) {
  if (ms === null || ms === undefined) return <None />;
  return <span title={`${ms} ms`}>{durationText(ms)}</span>;
}

/** Between two moments; up to now where the second is to come. */
export function Elapsed({ from, to }: { from: string | null | undefined; to: string | null | undefined }) {
  const { now } = useClock();
  if (from === null || from === undefined) return <None />;
  const end = to === null || to === undefined ? now : Date.parse(to);
  return <Duration ms={Math.max(0, end - Date.parse(from))} />;
}

export function None() {
  return <span className="quiet">–</span>;
}

export function Quantities({ of }: { of: readonly Quantity[] }) {
  if (of.length === 0) return <None />;
  return <span className="amount">{of.map((one) => quantityText(one)).join(', ')}</span>;
}

/** Directions, joiners, tags and control characters: what a reader does not see. Line ends, tabs and the joiner of emoji stay. */
const UNSEEN = /([\p{Cc}\p{Cf}\p{Co}])/u;
const SHOWN_AS_THEY_ARE = new Set(['\n', '\t', '\u200D']);

/** Text that others wrote stands alone in its direction, and shows what it would hide. */
export function Foreign({ children }: { children: string | null | undefined }) {
  if (children === null || children === undefined || children === '') return <None />;
  return <bdi>{visible(children)}</bdi>;
}

function visible(text: string): ReactNode {
  if (!UNSEEN.test(text)) return text;
  return text.split(UNSEEN).map((part, index) => {
    if (index % 2 === 0 || SHOWN_AS_THEY_ARE.has(part)) return part;
    const code = `U+${(part.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    // The parts of one text never move.
    return (
      <span key={`${index} ${code}`} className="unseen" title="A character that is not seen">
        {code}
      </span>
    );
  });
}

export function Json({ value, label }: { value: unknown; label: string }) {
  return <Code text={typeof value === 'string' ? value : jsonText(value)} label={label} />;
}

export function Code({ text, label }: { text: string; label: string }) {
  const copy = (): void => void navigator.clipboard.writeText(text);
  return (
    <div className="code">
      <button type="button" className="copy" aria-label={`Copy ${label}`} onClick={copy}>
        <CopyIcon />
      </button>
      {/* A long one scrolls, and so it must be reachable by keyboard. */}
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{visible(text)}</code>
      </pre>
    </div>
  );
}

/** What is `false` is left out. */
export function Fields({ rows }: { rows: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className="fields">
      {Object.entries(rows).map(
        ([label, value]) =>
          value !== false && (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
