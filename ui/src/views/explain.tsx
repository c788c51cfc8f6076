import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ExplainAnswer, ExplainNode } from '../../../src/dashboard/protocol.ts';
import { navigate, place } from '../data/app-state.ts';
import { useResource } from '../data/resource.ts';
import { explainQuery, opensAtFirst } from '../model/explain-link.ts';
import { withParams } from '../model/location.ts';
import { visibleText } from '../model/visible-text.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { ErrorNotice, Loading, Notice } from '../parts/notice.tsx';
import { resultLooks, State } from '../parts/state.tsx';
import { Text } from '../parts/text.tsx';

const signs: Readonly<Record<ExplainNode['status'], readonly [IconName, string, string]>> = {
  pass: ['check', 'good', 'holds'],
  fail: ['cross', 'bad', 'does not hold'],
  error: ['alert', 'bad', 'error'],
  skip: ['dash', 'idle', 'does not apply'],
  info: ['dot', 'idle', ''],
};

function Line({ node: { label, status, detail } }: { node: ExplainNode }): JSX.Element {
  const [icon, tone, word] = signs[status] ?? signs.info;
  return (
    <span class="trace-line">
      <span class={`state ${tone}`}>
        <Icon name={icon} size={14} />
        <span class="unseen">{word}</span>
      </span>
      <span class="trace-label">
        <Text of={label} length={4000} />
        {detail !== undefined && <code>{visibleText(detail.slice(0, 20_000))}</code>}
      </span>
    </span>
  );
}

function Branch({ node, depth }: { node: ExplainNode; depth: number }): JSX.Element {
  if (node.children.length === 0)
    return (
      <li>
        <Line node={node} />
      </li>
    );
  return (
    <li>
      <details open={opensAtFirst(node, depth)}>
        <summary>
          <Icon name="right" size={12} />
          <Line node={node} />
        </summary>
        <ul>
          {node.children.map((child, i) => (
            <Branch key={`${i}-${child.label}`} node={child} depth={depth + 1} />
          ))}
        </ul>
      </details>
    </li>
  );
}

function Trace({ param }: { param: string }): JSX.Element {
  const query = explainQuery(param);
  const path = query === undefined ? undefined : `/api/explain?${query}`;
  const { value, error } = useResource<ExplainAnswer>(path, { views: ['results'] }).value;
  if (path === undefined) return <ErrorNotice error={{ code: 'invalid', message: 'This link is not complete.' }} />;
  if (value === undefined && error?.code === 'not-found')
    return (
      <Notice icon="search" title="Nothing to explain">
        This server does not explain the result, or the object, the policy or the rule is no longer here.{' '}
        <code>supercargo explain</code> explains policies on manifests.
      </Notice>
    );
  if (value === undefined && error?.code === 'forbidden')
    return (
      <Notice icon="alert" title="No trace without the right to read">
        {visibleText(error.message)}. A trace shows what the policy says and what the object has: whoever runs the
        cluster may grant this right. The result keeps its message.
      </Notice>
    );
  if (value === undefined) return error === undefined ? <Loading /> : <ErrorNotice error={error} />;
  return (
    <>
      <div class="trace-result">
        <State of={value.result} looks={resultLooks} />
        <p>
          <Text of={value.message} length={4000} />
        </p>
      </div>
      <ul class="trace">
        <Branch node={value.tree} depth={0} />
      </ul>
    </>
  );
}

/** Why a rule decided as it did, beside the view it was asked from; `?explain=` of the URL. */
export function Explain(): JSX.Element | null {
  const param = place.value.params['explain'];
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (param !== undefined && dialog.current?.open === false) dialog.current.showModal();
  }, [param]);
  if (param === undefined) return null;
  const query = explainQuery(param);
  const close = () => navigate(withParams(place.peek(), { explain: undefined }));
  return (
    <dialog class="dialog drawer" ref={dialog} aria-label="Explanation" onClose={close} closedby="any">
      <header>
        <div>
          <h2>
            <Text of={`${query?.get('policy') ?? ''}/${query?.get('rule') ?? ''}`} length={120} />
          </h2>
          <p class="faint">
            on{' '}
            <Text
              of={`${query?.get('kind') ?? ''} ${query?.get('namespace') ?? ''}/${query?.get('name') ?? ''}`}
              length={200}
            />
            , as it is now
          </p>
        </div>
        <button type="button" class="icon-button" aria-label="Close" onClick={() => dialog.current?.close()}>
          <Icon name="cross" />
        </button>
      </header>
      <div class="drawer-body">
        <Trace param={param} />
      </div>
    </dialog>
  );
}
