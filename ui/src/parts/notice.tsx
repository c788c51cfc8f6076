import type { ComponentChildren, JSX } from 'preact';
import type { ApiError } from '../data/api.ts';
import { visibleText } from '../model/visible-text.ts';
import { Icon, type IconName } from './icon.tsx';

export interface NoticeProps {
  readonly icon: IconName;
  readonly title: string;
  readonly tone?: 'bad' | 'plain';
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** In place of content: what is the case, why, and what to do. */
export function Notice({ icon, title, tone = 'plain', children, actions }: NoticeProps): JSX.Element {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <span class="sign">
        <Icon name={icon} size={20} />
      </span>
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {actions !== undefined && <div class="actions">{actions}</div>}
    </div>
  );
}

const titles: Readonly<Partial<Record<ApiError['code'], string>>> = {
  network: 'The server does not answer',
  starting: 'Reading the cluster',
  forbidden: 'You may not see this',
  'not-found': 'Not here',
  'too-many': 'Too many requests',
  unavailable: 'Not available now',
};

const passing = new Set<ApiError['code']>(['network', 'starting', 'too-many', 'unavailable']);

export function ErrorNotice({ error }: { error: ApiError }): JSX.Element {
  const isStarting = error.code === 'starting';
  return (
    <Notice
      icon={isStarting ? 'spin' : error.code === 'not-found' ? 'search' : 'alert'}
      title={titles[error.code] ?? 'Something went wrong'}
      tone={isStarting || error.code === 'not-found' ? 'plain' : 'bad'}
    >
      {visibleText(error.message)} {passing.has(error.code) && 'The page tries again by itself.'}
    </Notice>
  );
}

/** For an error while older content stays on the page. */
export function ErrorBanner({ error }: { error: ApiError | undefined }): JSX.Element | null {
  if (error === undefined) return null;
  return (
    <div class={error.code === 'network' || error.code === 'starting' ? 'banner' : 'banner bad'} role="status">
      <Icon name="alert" size={14} />
      {titles[error.code] ?? 'Something went wrong'}: what you see may be out of date. {visibleText(error.message)}
    </div>
  );
}

export function Loading({ rows = 6 }: { rows?: number }): JSX.Element {
  return (
    <div class="loading-block" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => `line-${i}`).map((key) => (
        <span key={key} class="skeleton" />
      ))}
    </div>
  );
}
