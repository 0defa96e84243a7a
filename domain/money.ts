/** "600.00 USD", "500 JPY", "1.234 KWD": digits by ISO 4217, two for unknown currencies. */
export function moneyText(amountMinor: number, currency: string): string {
  const code = currency.toUpperCase();
  const digits = new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions()
    .maximumFractionDigits;
  return `${decimal(amountMinor, digits ?? 2)} ${code}`;
}

/** A count with separators: "12,500". */
export function countText(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** Splits the text instead of dividing, so that no amount loses a unit to a binary fraction. */
function decimal(amountMinor: number, digits: number): string {
  if (digits === 0) return countText(amountMinor);
  const text = String(amountMinor).padStart(digits + 1, '0');
  return `${countText(Number(text.slice(0, -digits)))}.${text.slice(-digits)}`;
}
