import type { JSX } from 'preact';
import type { SyncRunRow, SystemAnswer, WatchRow } from '../../../src/dashboard/protocol.ts';
import { useResource } from '../data/resource.ts';
import { now } from '../data/time.ts';
import { renderBytes, renderCount, renderDuration, renderNoun } from '../model/format.ts';
import { visibleText } from '../model/visible-text.ts';
import { CopyButton } from '../parts/controls.tsx';
import { Icon } from '../parts/icon.tsx';
import { ErrorBanner, ErrorNotice, Loading } from '../parts/notice.tsx';
import { Panel } from '../parts/panel.tsx';
import { Pill, type Tone } from '../parts/state.tsx';
import { Age, Text } from '../parts/text.tsx';

const runTones: Readonly<Record<SyncRunRow['outcome'], Tone>> = {
  succeeded: 'good',
  failed: 'bad',
  incomplete: 'warn',
  'not-run': 'idle',
};

/** `2 applied · 38 unchanged`: what is zero is left out. */
const changesOf = ({ applied, updated, removed, unchanged }: SyncRunRow): string =>
  Object.entries({ applied, updated, removed, unchanged })
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${renderCount(count)} ${word}`)
    .join(' · ') || 'no policies';

function SyncRun({ run }: { run: SyncRunRow }): JSX.Element {
  const tone = runTones[run.outcome] ?? 'idle';
  return (
    <li class="line tall">
      <span class={`state ${tone}`}>
        <Icon name={tone === 'good' ? 'check' : tone === 'bad' ? 'cross' : 'dot'} size={14} />
        {run.outcome}
      </span>
      <div class="line-main">
        <p>
          {changesOf(run)}
          {run.failed > 0 && <span class="bad-text"> · {renderCount(run.failed)} failed</span>}
          {run.rolledBack > 0 && <span class="bad-text"> · {renderCount(run.rolledBack)} rolled back</span>}{' '}
          {run.isDryRun && <Pill>dry run</Pill>}
        </p>
        {run.failures.map((failure) => (
          <p key={failure} class="faint">
            <Text of={failure} length={300} />
          </p>
        ))}
      </div>
      <span class="faint">{renderDuration(run.durationMs)}</span>
      <Age at={run.at} />
    </li>
  );
}

const watchLooks = {
  absent: ['idle', 'dot', 'absent'],
  problem: ['bad', 'cross', 'problem'],
  synced: ['good', 'check', 'synced'],
  reading: ['busy', 'spin', 'reading'],
} as const;

function Watch({ watch: { kind, objects, isSynced, isAbsent, problem } }: { watch: WatchRow }): JSX.Element {
  const [tone, icon, word] =
    watchLooks[isAbsent ? 'absent' : problem !== undefined ? 'problem' : isSynced ? 'synced' : 'reading'];
  return (
    <li class="line">
      <span class={`state ${tone}`}>
        <Icon name={icon} size={14} />
        <span class="unseen">{word}</span>
      </span>
      <div class="line-main">
        <Text of={kind} length={60} /> {isAbsent && <span class="faint">not installed in this cluster</span>}
        {problem !== undefined && (
          <span class="bad-text">
            <Text of={problem} length={200} />
          </span>
        )}
      </div>
      <span>{isAbsent ? '–' : renderCount(objects)}</span>
    </li>
  );
}

const dayMs = 86_400_000;

function Authority({ expiresAt }: { expiresAt: string }): JSX.Element {
  const left = Date.parse(expiresAt) - now.value;
  return (
    <span class={left < 7 * dayMs ? 'state bad' : 'state'}>
      {left < 7 * dayMs && <Icon name="alert" size={14} />}
      expires <Age at={expiresAt} />
    </span>
  );
}

export function System(): JSX.Element {
  const { value, error } = useResource<SystemAnswer>('/api/system', { views: ['system'] }).value;
  if (value === undefined) return error === undefined ? <Loading rows={10} /> : <ErrorNotice error={error} />;
  const { configuration, memory } = value;
  const isOperator = configuration !== undefined;
  return (
    <>
      <ErrorBanner error={error} />
      <div class="page-body">
        <dl class="facts">
          <div>
            <dt>Supercargo</dt>
            <dd>
              <Text of={value.version} />
            </dd>
          </div>
          <div>
            <dt>Kubernetes</dt>
            <dd>
              <Text of={value.kubernetes} />
            </dd>
          </div>
          <div>
            <dt>Installation</dt>
            <dd>
              <Text of={`${value.namespace}/${value.installation}`} />
            </dd>
          </div>
          {value.authority !== undefined && (
            <div>
              <dt>Webhook authority</dt>
              <dd>
                <Authority expiresAt={value.authority.expiresAt} />
              </dd>
            </div>
          )}
          {isOperator && (
            <div>
              <dt>This page</dt>
              <dd>
                {renderNoun(memory.images, 'image')} in {renderBytes(memory.heapBytes)},{' '}
                {renderNoun(memory.streams, 'stream')}
              </dd>
            </div>
          )}
        </dl>
        {!isOperator && (
          <p class="hint">
            <Icon name="alert" size={14} />
            Replicas, watches, policy sync and the configuration are for those who may list pods everywhere.
          </p>
        )}
        {isOperator && <Operation of={value} />}
      </div>
    </>
  );
}

/** What concerns those who run the program. */
function Operation({ of: value }: { of: SystemAnswer }): JSX.Element {
  const { replicas, leases, watches, syncRuns, configuration } = value;
  return (
    <>
      <div class="columns">
        <Panel title="Replicas" count={replicas.length}>
          <ul class="lines">
            {replicas.map(({ name, node, ready, startedAt }) => (
              <li key={name} class="line">
                <span class={`state ${ready ? 'good' : 'bad'}`}>
                  <Icon name={ready ? 'check' : 'cross'} size={14} />
                  {ready ? 'ready' : 'not ready'}
                </span>
                <div class="line-main">
                  <span class="lead">
                    <Text of={name} length={80} />
                  </span>
                  {node !== undefined && (
                    <span class="faint">
                      {' on '}
                      <Text of={node} length={60} />
                    </span>
                  )}
                </div>
                <Age at={startedAt} />
              </li>
            ))}
            {leases.map(({ name, group, holder, renewedAt }) => (
              <li key={name} class="line">
                <span class="line-sign">
                  <Pill tone="busy">leader</Pill>
                </span>
                <div class="line-main">
                  <span class="lead">
                    <Text of={group} length={60} />
                  </span>{' '}
                  <span class="faint">
                    <Text of={holder ?? 'nobody'} length={80} />
                  </span>
                </div>
                <Age at={renewedAt} />
              </li>
            ))}
          </ul>
          {replicas.length === 0 && <p class="part-empty">This program runs outside of the cluster: it has no pods.</p>}
          <p class="tags">
            {value.features.map((feature) => (
              <Pill key={feature}>
                <Text of={feature} length={40} />
              </Pill>
            ))}
          </p>
        </Panel>
        <Panel title="Watches" count={watches.length}>
          <ul class="lines">
            {watches.map((watch, i) => (
              <Watch key={`${watch.kind} ${i}`} watch={watch} />
            ))}
          </ul>
        </Panel>
      </div>
      <Panel title="Policy sync" count={syncRuns.length}>
        {syncRuns.length === 0 ? (
          <p class="part-empty">Policies are not synchronised from Fairwinds Insights, or no run has ended yet.</p>
        ) : (
          <ul class="lines">
            {syncRuns.map((run, i) => (
              <SyncRun key={`${run.at} ${i}`} run={run} />
            ))}
          </ul>
        )}
      </Panel>
      {configuration !== undefined && (
        <Panel title="Configuration">
          <div class="code">
            <pre>{visibleText(configuration)}</pre>
            <CopyButton text={configuration} label="Copy the configuration" />
          </div>
        </Panel>
      )}
    </>
  );
}
