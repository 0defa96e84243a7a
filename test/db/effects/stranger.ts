/** docs/examples/verify-receipt.mjs: how a third party checks a receipt, without the service and without a dependency. */
interface Stranger {
  canonicalText(value: unknown): string;
  checkReceipt(effect: unknown): { problems: string[]; head: { sequence: number; hash: string } | null };
}

const script = new URL('../../../docs/examples/verify-receipt.mjs', import.meta.url);
export const { canonicalText, checkReceipt } = (await import(script.href)) as Stranger;
