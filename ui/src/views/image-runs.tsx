import type { JSX } from 'preact';
import type { Run, RunPod } from '../../../src/dashboard/protocol.ts';
import { renderCount } from '../model/format.ts';
import { shortDigest, splitImage } from '../model/image-name.ts';
import { renderKubectl } from '../model/kubectl.ts';
import { visibleText } from '../model/visible-text.ts';
import { CopyButton } from '../parts/controls.tsx';
import { Icon } from '../parts/icon.tsx';
import type { Tone } from '../parts/state.tsx';
import { ObjectName, Text } from '../parts/text.tsx';

const podTones: Readonly<Record<RunPod['state'], Tone>> = {
  running: 'good',
  waiting: 'warn',
  terminated: 'idle',
  unknown: 'idle',
};

const pullTrouble = /ImagePull|ErrImage|InvalidImage|RegistryUnavailable/;

function PodLine({ pod: { name, node, imageId, state, reason, message } }: { pod: RunPod }): JSX.Element {
  const tone = reason !== undefined && pullTrouble.test(reason) ? 'bad' : (podTones[state] ?? 'idle');
  return (
    <li>
      <span class={`state ${tone}`}>
        <Icon name={tone === 'good' ? 'check' : tone === 'bad' ? 'cross' : 'dot'} size={12} />
        {reason === undefined ? state : <Text of={reason} length={40} />}
      </span>
      <Text of={name} length={80} />
      {node !== undefined && (
        <span class="faint">
          on <Text of={node} length={60} />
        </span>
      )}
      {imageId !== undefined && (
        <span class="faint mono" title={visibleText(imageId)}>
          {shortDigest(splitImage(imageId).digest ?? imageId)}
        </span>
      )}
      {message !== undefined && (
        <span class="bad-text">
          <Text of={message} length={240} />
        </span>
      )}
    </li>
  );
}

/** One container that runs the image, with its pods. */
export function RunLine({ run: { workload, container, writtenAs, image, pods } }: { run: Run }): JSX.Element {
  return (
    <li class="line tall">
      <div class="line-main">
        <p>
          <ObjectName of={workload} />
          <span class="faint">
            {' · container '}
            <Text of={container} length={60} />
          </span>
        </p>
        <p class="written">
          <span class="mono">
            <Text of={writtenAs} length={140} />
          </span>
          {image !== writtenAs && (
            <>
              <span class="faint"> runs as </span>
              <span class="mono">
                <Text of={image} length={140} />
              </span>
            </>
          )}
        </p>
        {pods.items.length > 0 && (
          <ul class="pods">
            {pods.items.map((pod) => (
              <PodLine key={pod.name} pod={pod} />
            ))}
            {pods.total > pods.items.length && (
              <li class="faint">and {renderCount(pods.total - pods.items.length)} more pods</li>
            )}
          </ul>
        )}
      </div>
      <CopyButton text={renderKubectl(workload)} label="Copy the kubectl command for the workload" />
    </li>
  );
}
