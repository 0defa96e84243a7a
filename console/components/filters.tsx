import { useEffect, useState } from 'react';
import { dayText, instantOf, useClock } from './clock.tsx';
import { useSearchText } from './location.ts';
import { capital, wordsOf } from './text.ts';

export interface Filter {
  /** As the API and the address have it. */
  name: string;
  label: string;
  /** A choice of these; without them, a text. */
  options?: readonly string[];
  /** `day`: a date, as the start of that day in the zone of the times that are shown. */
  kind?: 'day';
}

const TYPED_MS = 300;
const BOOLEANS: Readonly<Record<string, string>> = { true: 'Yes', false: 'No' };

export function Filters({ filters }: { filters: readonly Filter[] }) {
  return (
    <search className="filters">
      {filters.map((filter) =>
        filter.options === undefined ? (
          <TextFilter key={filter.name} {...filter} />
        ) : (
          <Choice key={filter.name} {...filter} />
        ),
      )}
    </search>
  );
}

function Choice({ name, label, options }: Filter) {
  const { search, change } = useSearchText();
  return (
    <label>
      <span>{label}</span>
      <select value={search[name] ?? ''} onChange={({ target }) => change({ [name]: target.value, page: undefined })}>
        <option value="">{options?.length === 1 ? BOOLEANS['false'] : 'Any'}</option>
        {options?.map((option) => (
          <option key={option} value={option}>
            {BOOLEANS[option] ?? capital(wordsOf(option))}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Typing replaces the entry of the history: a step back leaves the list, not a letter. */
function TextFilter({ name, label, kind }: Filter) {
  const { search, change } = useSearchText();
  const set = search[name] ?? '';
  const [typed, setTyped] = useState(set);
  const { isUtc } = useClock();
  useEffect(() => setTyped(set), [set]);
  useEffect(() => {
    if (typed === set) return undefined;
    const timer = window.setTimeout(() => change({ [name]: typed, page: undefined }, { replace: true }), TYPED_MS);
    return () => window.clearTimeout(timer);
  }, [typed, set, name, change]);
  return (
    <label>
      <span>{label}</span>
      <input
        type={kind === 'day' ? 'date' : 'text'}
        value={kind === 'day' ? dayText(typed, isUtc) : typed}
        onChange={({ target: { value } }) =>
          setTyped(kind === 'day' && value !== '' ? instantOf(`${value}T00:00`, isUtc) : value)
        }
        autoComplete="off"
        spellCheck={false}
      />
    </label>
  );
}
