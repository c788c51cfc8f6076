import type { ComponentChildren, JSX } from 'preact';
import type { Overview as OverviewAnswer } from '../../../src/dashboard/protocol.ts';
import { renderCount, renderNoun } from '../model/format.ts';
import { renderPlace, type ViewName } from '../model/location.ts';
import { type Portion, Stack } from '../parts/charts.tsx';
import type { Tone } from '../parts/state.tsx';
import { resultPortions } from './results.tsx';

export const to = (view: ViewName, params: Readonly<Record<string, string>> = {}) => renderPlace({ view, params });

interface CardProps {
  readonly title: string;
  readonly href: string;
  readonly count: number;
  readonly note?: ComponentChildren;
  readonly portions: readonly (Portion & { readonly href: string })[];
}

/** A number, what it consists of, and a link from each part to its rows. */
function Card({ title, href, count, note, portions }: CardProps): JSX.Element {
  return (
    <section class="card" aria-label={title}>
      <h2>
        <a href={href}>{title}</a>
      </h2>
      <p class="card-number">
        <a href={href}>{renderCount(count)}</a> {note !== undefined && <span>{note}</span>}
      </p>
      <Stack portions={portions} />
      <ul>
        {count === 0 && <li class="faint">none</li>}
        {portions
          .filter((portion) => portion.count > 0)
          .map((portion) => (
            <li key={portion.name}>
              <a href={portion.href}>
                <i class={`key ${portion.tone}`} aria-hidden="true" />
                <b>{renderCount(portion.count)}</b> {portion.name}
              </a>
            </li>
          ))}
      </ul>
    </section>
  );
}

const portion = (name: string, count: number, tone: Tone, href: string) => ({ name, count, tone, href });

/** A card of objects by their state: each portion leads to those in that state. */
function StateCard<State extends string>({
  title,
  view,
  by,
  counts,
  tones,
  note,
}: {
  title: string;
  view: ViewName;
  /** The parameter of the view. */
  by: string;
  counts: Readonly<Record<NoInfer<State>, number>>;
  /** In the order in which they are shown. */
  tones: Readonly<Record<State, Tone>>;
  note?: ComponentChildren;
}): JSX.Element {
  const portions = (Object.keys(tones) as State[]).map((state) =>
    portion(state, counts[state], tones[state], to(view, { [by]: state })),
  );
  const count = portions.reduce((sum, { count: of }) => sum + of, 0);
  return <Card title={title} href={to(view)} count={count} note={note || undefined} portions={portions} />;
}

/** The numbers of a cluster; each leads to its rows. */
export function Cards({ of }: { of: OverviewAnswer }): JSX.Element {
  const { images, copies, results, jobs, detections, vulnerabilities } = of;
  return (
    <div class="cards">
      <Card
        title="Images"
        href={to('images')}
        count={images.total}
        note={images.total === 0 ? undefined : `from ${renderNoun(images.registries.length, 'registry', 'registries')}`}
        portions={[
          portion('running', images.running, 'busy', to('images', { running: 'true' })),
          portion('not running', images.total - images.running, 'idle', to('images')),
        ]}
      />
      {copies && (
        <StateCard
          title="Copies"
          view="copies"
          by="state"
          counts={copies}
          tones={{ copied: 'good', copying: 'busy', pending: 'idle', failed: 'bad' }}
          note={copies.unused > 0 && <a href={to('copies', { unused: 'true' })}>{renderCount(copies.unused)} unused</a>}
        />
      )}
      {results && (
        <Card
          title="Policy results"
          href={to('results')}
          count={results.pass + results.fail + results.warn + results.error + results.skip}
          portions={resultPortions(results).map((part) => ({
            ...part,
            href:
              part.name === 'pass' || part.name === 'skip'
                ? to('results')
                : to('results', { by: 'none', result: part.name }),
          }))}
        />
      )}
      {detections && (
        <StateCard
          title="Detections"
          view="pipeline"
          by="phase"
          counts={detections}
          tones={{ completed: 'good', processing: 'busy', pending: 'idle', failed: 'bad' }}
        />
      )}
      {jobs && (
        <StateCard
          title="Jobs"
          view="jobs"
          by="state"
          counts={jobs}
          tones={{ succeeded: 'good', running: 'busy', pending: 'idle', failed: 'bad' }}
        />
      )}
      {vulnerabilities && (
        <Card
          title="Vulnerabilities"
          href={to('images', { sort: 'vulnerabilities', order: 'desc' })}
          count={
            vulnerabilities.critical +
            vulnerabilities.high +
            vulnerabilities.medium +
            vulnerabilities.low +
            vulnerabilities.unknown
          }
          portions={[
            portion('critical', vulnerabilities.critical, 'bad', to('images', { vuln: 'critical' })),
            portion('high', vulnerabilities.high, 'warn', to('images', { vuln: 'high' })),
            portion('medium', vulnerabilities.medium, 'busy', to('images', { sort: 'vulnerabilities' })),
            portion(
              'low or unknown',
              vulnerabilities.low + vulnerabilities.unknown,
              'idle',
              to('images', { sort: 'vulnerabilities' }),
            ),
          ]}
        />
      )}
    </div>
  );
}
