import type { ComponentChildren, JSX } from 'preact';
import { renderCount } from '../model/format.ts';

interface PanelProps {
  readonly title: string;
  readonly count?: number | undefined;
  /** At the end of the line of the title. */
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Panel({ title, count, tools, children }: PanelProps): JSX.Element {
  return (
    <section class="panel" aria-label={title}>
      <div class="panel-head">
        <h2>
          {title} {count !== undefined && <span class="count">{renderCount(count)}</span>}
        </h2>
        {tools}
      </div>
      {children}
    </section>
  );
}
