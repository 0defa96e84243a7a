export interface Metric {
  name: string;
  help: string;
  type: 'counter' | 'gauge';
  samples: readonly { labels: Record<string, string>; value: number }[];
}

/** The text exposition format, version 0.0.4. Names and labels are ours and hold nothing that has to be escaped. */
export function prometheusText(metrics: readonly Metric[]): string {
  return metrics.map(textOf).join('');
}

export const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

function textOf({ name, help, type, samples }: Metric): string {
  const lines = samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}
