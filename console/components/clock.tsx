import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react';

/** Times are local, or all of them UTC: one switch, which the browser remembers. */

interface Clock {
  isUtc: boolean;
  setUtc: (isUtc: boolean) => void;
  now: number;
}

const REMEMBERED = 'console.utc';
const TICK_MS = 15_000;
const Context = createContext<Clock>({ isUtc: false, setUtc: () => undefined, now: Date.now() });

export function ClockProvider({ children }: { children: ReactNode }) {
  const [isUtc, setUtcState] = useState(() => localStorage.getItem(REMEMBERED) === 'yes');
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), TICK_MS);
    return () => window.clearInterval(timer);
  }, []);
  const clock = useMemo<Clock>(
    () => ({
      isUtc,
      now,
      setUtc: (wanted) => {
        localStorage.setItem(REMEMBERED, wanted ? 'yes' : 'no');
        setUtcState(wanted);
      },
    }),
    [isUtc, now],
  );
  return <Context value={clock}>{children}</Context>;
}

export function useClock(): Clock {
  return use(Context);
}

const LOCALE = 'en-GB';
const LONG: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
};

export function timeText(at: Date, isUtc: boolean, now: number): string {
  const zone = isUtc ? { timeZone: 'UTC' } : {};
  const dayOf = (date: Date): string => date.toLocaleDateString(LOCALE, zone);
  const isToday = dayOf(at) === dayOf(new Date(now));
  const isThisYear = at.getUTCFullYear() === new Date(now).getUTCFullYear();
  return at.toLocaleString(LOCALE, {
    ...(isToday ? {} : { day: 'numeric', month: 'short', ...(isThisYear ? {} : { year: 'numeric' }) }),
    hour: '2-digit',
    minute: '2-digit',
    ...(isToday ? { second: '2-digit' } : {}),
    ...zone,
  });
}

/** The instant that `2026-11-05T09:30` names in the zone of the times that are shown. */
export function instantOf(local: string, isUtc: boolean): string {
  return new Date(isUtc ? `${local}Z` : local).toISOString();
}

/** `2026-11-05`: the day of an instant in the zone of the times that are shown. Empty for what is no instant. */
export function dayText(at: string, isUtc: boolean): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  const [year, month, day] = isUtc
    ? [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
    : [date.getFullYear(), date.getMonth(), date.getDate()];
  return `${String(year).padStart(4, '0')}-${String(month + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** Local and UTC, whichever is shown. */
export function bothTimes(at: Date): string {
  return `${at.toLocaleString(LOCALE, LONG)}\n${at.toLocaleString(LOCALE, { ...LONG, timeZone: 'UTC' })}`;
}

/** The reader's zone. Buckets of a day begin at their midnight. */
export function zone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
