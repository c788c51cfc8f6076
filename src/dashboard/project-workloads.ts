import { isJsonObject, type JsonObject } from '../base/index.ts';
import { type ContainerImage, imagesOfWorkload } from '../inventory/index.ts';
import { controllerOf, type KubeObject } from '../object/index.ts';
import type { ContainerState, PodFact, WorkloadFact } from './facts.ts';
import { textOf } from './fields.ts';
import { imageNameOf } from './image-id.ts';
import type { Sharing } from './sharing.ts';

/**
 * Facts of workloads and their pods. There are more of them than of anything else, so they keep no text twice: names are
 * parts of the key that the watch keeps, and the owner of a pod is a part of its name.
 */

class Workload implements WorkloadFact {
  constructor(
    readonly key: string,
    readonly kind: string,
    readonly namespace: string,
    readonly images: readonly ContainerImage[],
  ) {}

  get name(): string {
    return nameIn(this.key, this.namespace);
  }
}

const nameIn = (key: string, namespace: string) => (namespace === '' ? key : key.slice(namespace.length + 1));

/** An object that a controller created repeats its owner's images, so it counts as empty. */
export const createWorkloadProjection =
  (kind: string, share: Sharing) =>
  (object: KubeObject, key: string): WorkloadFact => {
    const images = controllerOf(object) ? [] : imagesOfWorkload(object);
    return new Workload(key, kind, share.intern(object.metadata.namespace ?? ''), share.images(images));
  };

/** A text, or how many characters of the pod's name it is. */
type NamePart = string | number;
const partOf = (name: string, text: string): NamePart => (name.startsWith(text) ? text.length : text);
const textOfPart = (name: string, part: NamePart) => (typeof part === 'number' ? name.slice(0, part) : part);

/**
 * Of a running container, of which nothing more is to be said: the digest, of the repository that the pod names, or in
 * full what the node pulled.
 */
type CompactState = string | ContainerState;

class Pod implements PodFact {
  constructor(
    readonly key: string,
    readonly namespace: string,
    readonly ownerKind: string,
    private readonly owner: NamePart,
    private readonly root: NamePart,
    readonly node: string,
    readonly isOver: boolean,
    readonly images: readonly ContainerImage[],
    /** One that is alone has no list. */
    private readonly states: CompactState | readonly CompactState[],
  ) {}

  get name(): string {
    return nameIn(this.key, this.namespace);
  }

  get ownerName(): string {
    return textOfPart(this.name, this.owner);
  }

  get deployment(): string {
    return textOfPart(this.name, this.root);
  }

  get pulledDigest(): string {
    const [first = ''] = isList(this.states) ? this.states : [this.states];
    return typeof first === 'string' ? first : '';
  }

  get containers(): readonly ContainerState[] {
    const { states } = this;
    return isList(states) ? states.map((_, index) => this.stateAt(index)) : [this.stateAt(0)];
  }

  private stateAt(index: number): ContainerState {
    const state = isList(this.states) ? this.states[index]! : this.states;
    if (typeof state !== 'string') return state;
    const imageId = state.includes('@') ? state : `${repositoryOf(this.images[index]?.image ?? '')}@${state}`;
    return { imageId, state: 'running', reason: '', message: '' };
  }
}

const isList = (states: CompactState | readonly CompactState[]): states is readonly CompactState[] =>
  Array.isArray(states);
const repositoryOf = (image: string) => imageNameOf(image).repository;

export const createPodProjection =
  (share: Sharing) =>
  (pod: KubeObject, key: string): PodFact => {
    const { namespace = '', name = '', labels } = pod.metadata;
    const { intern } = share;
    const owner = controllerOf(pod);
    const spec = isJsonObject(pod['spec']) ? pod['spec'] : {};
    const status = isJsonObject(pod['status']) ? pod['status'] : {};
    const phase = status['phase'];
    const images = share.images(imagesOfWorkload(pod));
    const hash = labels?.['pod-template-hash'];
    const isOfDeployment = owner?.kind === 'ReplicaSet' && hash !== undefined && owner.name.endsWith(`-${hash}`);
    const states = containerStates(status);
    const compact = images.map((image) => compactState(states.get(image.container) ?? unknown, image, share));
    return new Pod(
      key,
      intern(namespace),
      intern(owner?.kind ?? ''),
      partOf(name, owner?.name ?? ''),
      partOf(name, isOfDeployment ? owner.name.slice(0, -hash.length - 1) : ''),
      intern(textOf(spec, 'nodeName')),
      phase === 'Succeeded' || phase === 'Failed',
      images,
      compact.length === 1 ? compact[0]! : compact,
    );
  };

function compactState(state: ContainerState, { image, source }: ContainerImage, share: Sharing): CompactState {
  const { imageId, reason, message } = state;
  const at = imageId.indexOf('@');
  if (state.state !== 'running' || reason !== '' || message !== '' || at === -1) return state;
  return imageId.slice(0, at) === repositoryOf(image) ? share.digest(source, imageId.slice(at + 1)) : imageId;
}

const unknown: ContainerState = { imageId: '', state: 'unknown', reason: '', message: '' };
const maxMessage = 500;
const statusLists = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const;

function containerStates(status: JsonObject): ReadonlyMap<string, ContainerState> {
  const states = new Map<string, ContainerState>();
  for (const list of statusLists) {
    const entries = status[list];
    if (!Array.isArray(entries)) continue;
    for (const entry of entries) {
      if (!isJsonObject(entry) || typeof entry['name'] !== 'string') continue;
      const state = isJsonObject(entry['state']) ? entry['state'] : {};
      const kind = (['running', 'waiting', 'terminated'] as const).find((one) => isJsonObject(state[one]));
      const detail = kind === undefined ? {} : (state[kind] as JsonObject);
      states.set(entry['name'], {
        imageId: textOf(entry, 'imageID'),
        state: kind ?? 'unknown',
        reason: textOf(detail, 'reason'),
        message: textOf(detail, 'message').slice(0, maxMessage),
      });
    }
  }
  return states;
}
