/** Labels as `a=b,c=d` in the order of their names, or `<none>`. */
export function renderLabels(labels: Readonly<Record<string, string>> | undefined): string {
  return equalities(labels).join(',') || '<none>';
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}
interface LabelSelectorLike {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly Requirement[];
}

/** A selector in the syntax of `kubectl -l`; empty when it selects everything. */
export function renderSelector(selector: LabelSelectorLike | undefined): string {
  const parts = [
    ...Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...(selector?.matchExpressions ?? []).map((one) => ({ key: one.key, text: renderRequirement(one) })),
  ];
  return parts
    .sort((a, b) => compare(a.key, b.key))
    .map((part) => part.text)
    .join(',');
}

function renderRequirement({ key, operator, values = [] }: Requirement): string {
  const list = [...values].sort(compare).join(',');
  if (operator === 'In') return `${key} in (${list})`;
  if (operator === 'NotIn') return `${key} notin (${list})`;
  return operator === 'DoesNotExist' ? `!${key}` : key;
}

function equalities(labels: Readonly<Record<string, string>> | undefined): string[] {
  return Object.entries(labels ?? {})
    .sort(([a], [b]) => compare(a, b))
    .map(([key, value]) => `${key}=${value}`);
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
