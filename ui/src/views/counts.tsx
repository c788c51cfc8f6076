import type { JSX } from 'preact';
import type { ImageRow, JobCounts, VulnerabilityCounts } from '../../../src/dashboard/protocol.ts';
import { renderShortCount } from '../model/format.ts';
import { Icon } from '../parts/icon.tsx';

/** `2 fail 1 warn`: what is zero is left out. */
export function ResultCounts({ of }: { of: ImageRow['results'] }): JSX.Element {
  if (of === undefined) return <span class="faint">–</span>;
  const { fail, warn, error } = of;
  const [tone, icon] = fail + error > 0 ? (['bad', 'cross'] as const) : (['warn', 'alert'] as const);
  return (
    <>
      {/* Where columns have no heads. */}
      <span class="unit faint">Policy </span>
      {fail + warn + error === 0 ? (
        <span class="state good">
          <Icon name="check" size={14} />
          none
        </span>
      ) : (
        <span class={`state ${tone}`}>
          <Icon name={icon} size={14} />
          <span class="counts">
            {fail > 0 && <span class="bad">{renderShortCount(fail)} fail</span>}
            {error > 0 && <span class="bad">{renderShortCount(error)} error</span>}
            {warn > 0 && <span class="warn">{renderShortCount(warn)} warn</span>}
          </span>
        </span>
      )}
    </>
  );
}

const letters = [
  ['critical', 'C', 'bad'],
  ['high', 'H', 'bad'],
  ['medium', 'M', 'warn'],
  ['low', 'L', 'idle'],
  ['unknown', 'U', 'idle'],
] as const;

/** `1C 4H 12M`, with the words for the title and for screen readers. */
export function Vulnerabilities({ of, most = 3 }: { of: VulnerabilityCounts | undefined; most?: number }): JSX.Element {
  if (of === undefined) return <span class="faint">–</span>;
  const found = letters.filter(([name]) => of[name] > 0);
  if (found.length === 0)
    return (
      <span class="state good">
        <Icon name="check" size={14} />
        none
      </span>
    );
  const words = found.map(([name]) => `${of[name]} ${name}`).join(', ');
  return (
    <span class="counts" title={words}>
      <span class="unseen">{words}</span>
      {found.slice(0, most).map(([name, letter, tone]) => (
        <span key={name} class={tone} aria-hidden="true">
          {renderShortCount(of[name])}
          {letter}
        </span>
      ))}
    </span>
  );
}

export function JobsOf({ of }: { of: JobCounts | undefined }): JSX.Element {
  if (of === undefined) return <span class="faint">–</span>;
  const all = of.pending + of.running + of.succeeded + of.failed;
  if (all === 0) return <span class="faint">–</span>;
  return (
    <span class="counts">
      <span>{renderShortCount(all)}</span>
      {of.failed > 0 && (
        <span class="state bad">
          <Icon name="cross" size={12} />
          {renderShortCount(of.failed)}
          <span class="unseen"> failed</span>
        </span>
      )}
    </span>
  );
}
