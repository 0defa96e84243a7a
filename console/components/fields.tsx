import { useId } from 'react';
import { capital, wordsOf } from './text.ts';

export type FieldValues = Readonly<Record<string, string>>;

export interface Field {
  name: string;
  label: string;
  hint?: string;
  kind?: 'text' | 'area' | 'code' | 'number' | 'choice' | 'check' | 'secret' | 'date';
  /** The values of a choice. */
  options?: readonly (string | { value: string; label: string })[];
  required?: boolean;
  initial?: string;
}

/** What a checked box holds. */
export const CHECKED = 'yes';

export function initialValues(fields: readonly Field[]): FieldValues {
  return Object.fromEntries(
    fields.map(({ name, initial, kind, options, required }) => [name, initial ?? firstOf(kind, options, required)]),
  );
}

function firstOf(kind: Field['kind'], options: Field['options'], required = false): string {
  const [first] = options ?? [];
  if (kind !== 'choice' || first === undefined || !required) return '';
  return typeof first === 'string' ? first : first.value;
}

interface FieldProps {
  field: Field;
  value: string;
  change: (value: string) => void;
}

export function FieldInput({ field, value, change }: FieldProps) {
  const hintId = useId();
  const { label, hint, kind, required = false } = field;
  if (kind === 'check') {
    return (
      <label className="choice">
        <input
          type="checkbox"
          checked={value === CHECKED}
          onChange={({ target }) => change(target.checked ? CHECKED : '')}
        />
        <span>
          {label}
          {hint !== undefined && <small>{hint}</small>}
        </span>
      </label>
    );
  }
  return (
    <label>
      <span>
        {label}
        {!required && kind !== 'choice' && <span className="quiet"> (may be left out)</span>}
      </span>
      <Control field={field} value={value} change={change} describedBy={hint === undefined ? undefined : hintId} />
      {hint !== undefined && <small id={hintId}>{hint}</small>}
    </label>
  );
}

const AREA_ROWS = 4;
const CODE_ROWS = 12;
const TYPES: Readonly<Record<string, string>> = { number: 'number', secret: 'password', date: 'datetime-local' };

function Control({ field, value, change, describedBy }: FieldProps & { describedBy: string | undefined }) {
  const { name, kind, options = [], required = false } = field;
  const common = { name, value, required, ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }) };
  if (kind === 'choice') {
    return (
      <select {...common} onChange={({ target }) => change(target.value)}>
        {!required && <option value="">–</option>}
        {options.map((option) => {
          const { value: own, label } =
            typeof option === 'string' ? { value: option, label: capital(wordsOf(option)) } : option;
          return (
            <option key={own} value={own}>
              {label}
            </option>
          );
        })}
      </select>
    );
  }
  if (kind === 'area' || kind === 'code') {
    return (
      <textarea
        {...common}
        className={kind}
        rows={kind === 'code' ? CODE_ROWS : AREA_ROWS}
        spellCheck={kind === 'area'}
        onChange={({ target }) => change(target.value)}
      />
    );
  }
  const type = TYPES[kind ?? 'text'] ?? 'text';
  return (
    <input
      {...common}
      type={type}
      autoComplete={kind === 'secret' ? 'new-password' : 'off'}
      step="any"
      onChange={({ target }) => change(target.value)}
    />
  );
}

/** Those that were filled in. */
export function filled(values: FieldValues, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (values[name] === undefined || values[name] === '' ? [] : [[name, values[name]]])),
  );
}
