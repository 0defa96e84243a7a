/** How much of an allowance is used: the parts as a bar, for a screen reader as one number. */
export function Bar({
  parts,
  of,
  label,
}: {
  parts: readonly { name: string; value: number }[];
  of: number;
  label: string;
}) {
  const used = parts.reduce((sum, { value }) => sum + value, 0);
  const share = of <= 0 ? 0 : Math.min(1, used / of);
  return (
    <span
      className={`bar ${share >= 0.8 ? 'nearly' : ''}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      title={parts.map(({ name, value }) => `${name} ${value}`).join(', ')}
    >
      {parts.map(({ name, value }) => (
        <span key={name} className={name} style={{ width: `${of <= 0 ? 0 : Math.min(100, (value / of) * 100)}%` }} />
      ))}
    </span>
  );
}
