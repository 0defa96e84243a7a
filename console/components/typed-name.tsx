/** Asks for the name to be typed before what cannot be undone. `to`: what it is typed for, such as "go on". */
export function TypedName({
  name,
  to,
  value,
  change,
  required = false,
}: {
  name: string;
  to: string;
  value: string;
  change: (value: string) => void;
  required?: boolean;
}) {
  return (
    <label>
      <span>
        Type <strong>{name}</strong> to {to}
      </span>
      <input value={value} onChange={({ target }) => change(target.value)} autoComplete="off" required={required} />
    </label>
  );
}
