import type { ContainerImage } from '../inventory/index.ts';
import { type Bag, itemsOf, withItem, withoutItem } from './bag.ts';
import { CopyNames } from './copy-names.ts';
import type { CopyFact, DetectionFact, JobFact, PodFact, VulnerabilityFact, WorkloadFact } from './facts.ts';
import { createInterner, ownText } from './fields.ts';
import { fullText, type ImageName, imageNameOf } from './image-id.ts';
import type { ImageId, ShownKind } from './protocol.ts';

/** A name under which containers run an image, with those that do. */
interface NameUsers {
  workloads: Bag<WorkloadFact>;
  pods: Bag<PodFact>;
}

/** One image with everything that is known of it. Itself the users of its own name: most images have no other. */
export class ImageEntry implements NameUsers {
  workloads: Bag<WorkloadFact> = undefined;
  pods: Bag<PodFact> = undefined;
  /** By other names: those of copies, or with tag and digest. */
  aliases: Bag<Alias> = undefined;
  copies: Bag<CopyFact> = undefined;
  jobs: Bag<JobFact> = undefined;
  detections: Bag<DetectionFact> = undefined;
  vulnerabilities: Bag<VulnerabilityFact> = undefined;
  private changedAt = 0;

  constructor(
    readonly id: ImageId,
    readonly registry: string,
    readonly tag: string,
    readonly digest: string,
  ) {}

  get repository(): string {
    const suffix = this.digest === '' ? this.tag : this.digest;
    return suffix === '' ? this.id : this.id.slice(0, -suffix.length - 1);
  }

  *allWorkloads(): Generator<WorkloadFact> {
    yield* itemsOf(this.workloads);
    for (const alias of itemsOf(this.aliases)) yield* itemsOf(alias.workloads);
  }

  *allPods(): Generator<PodFact> {
    yield* itemsOf(this.pods);
    for (const alias of itemsOf(this.aliases)) yield* itemsOf(alias.pods);
  }

  /** To the second. */
  get changedAtMs(): number {
    return this.changedAt * 1000;
  }

  set changedAtMs(ms: number) {
    this.changedAt = Math.ceil(ms / 1000);
  }

  get isEmpty(): boolean {
    return (
      this.workloads === undefined &&
      this.pods === undefined &&
      this.aliases === undefined &&
      this.copies === undefined &&
      this.jobs === undefined &&
      this.detections === undefined &&
      this.vulnerabilities === undefined
    );
  }
}

class Alias implements NameUsers {
  workloads: Bag<WorkloadFact> = undefined;
  pods: Bag<PodFact> = undefined;
  constructor(
    readonly full: string,
    public entry: ImageEntry,
  ) {}
}

const isUnused = ({ workloads, pods }: NameUsers) => workloads === undefined && pods === undefined;

const linked = ['jobs', 'detections', 'vulnerabilities'] as const;
type Linked = (typeof linked)[number];
const kindOf: Readonly<Record<Linked, ShownKind>> = {
  jobs: 'jobs',
  detections: 'imagedetecteds',
  vulnerabilities: 'vulnerabilityreports',
};
interface LinkedFacts {
  readonly jobs: JobFact;
  readonly detections: DetectionFact;
  readonly vulnerabilities: VulnerabilityFact;
}

/**
 * The images by identity. A container that names a copy runs its source, also where nothing but the MirroredImage says
 * so; when that comes later, the containers move to the source.
 */
export class ImageTable {
  readonly entries = new Map<ImageId, ImageEntry>();
  private readonly aliases = new Map<string, Alias>();
  private readonly copyNames = new CopyNames();
  /** Where a fact was linked: its text may mean another image by now. */
  private readonly homes = new Map<object, ImageEntry>();
  private readonly intern = createInterner();

  constructor(
    private readonly onChange: (id: ImageId, kind: ShownKind, namespace: string) => void,
    private readonly now: () => number,
  ) {}

  /** Looks at every image: an index would cost more memory than the few readers of one image are worth. */
  *ofRepository(repository: string): Generator<ImageEntry> {
    for (const entry of this.entries.values())
      if (entry.id.startsWith(repository) && entry.repository === repository) yield entry;
  }

  /** The identity of an image as some object names it. */
  idOf(text: string): ImageId {
    return this.aliases.get(fullText(text))?.entry.id ?? this.resolve(text).id;
  }

  addUser(list: 'workloads' | 'pods', fact: WorkloadFact | PodFact): void {
    for (const { source } of fact.images) {
      const users = this.usersOf(source);
      if (list === 'pods') users.pods = withItem(users.pods, fact as PodFact);
      else users.workloads = withItem(users.workloads, fact as WorkloadFact);
      this.changed(entryOfUsers(users), 'pods', fact.namespace);
    }
  }

  removeUser(list: 'workloads' | 'pods', fact: WorkloadFact | PodFact): void {
    for (const { source } of fact.images) {
      const users = this.usersOf(source);
      if (list === 'pods') users.pods = withoutItem(users.pods, fact as PodFact);
      else users.workloads = withoutItem(users.workloads, fact as WorkloadFact);
      if (users instanceof Alias && isUnused(users)) this.removeAlias(users);
      this.changed(entryOfUsers(users), 'pods', fact.namespace);
    }
  }

  link<K extends Linked>(list: K, text: string, fact: LinkedFacts[K]): void {
    const entry = this.entryOf(this.resolve(text));
    this.homes.set(fact, entry);
    (entry[list] as Bag<LinkedFacts[K]>) = withItem(entry[list] as Bag<LinkedFacts[K]>, fact);
    this.changed(entry, kindOf[list], fact.namespace);
  }

  unlink<K extends Linked>(list: K, fact: LinkedFacts[K]): void {
    const entry = this.homes.get(fact);
    if (!entry) return;
    this.homes.delete(fact);
    (entry[list] as Bag<LinkedFacts[K]>) = withoutItem(entry[list] as Bag<LinkedFacts[K]>, fact);
    this.changed(entry, kindOf[list], fact.namespace);
  }

  /** A copy belongs to its source, whatever other copies say. */
  addCopy(fact: CopyFact): void {
    const entry = this.entryOf(imageNameOf(fact.source));
    entry.copies = withItem(entry.copies, fact);
    this.copyNames.add(fact);
    this.relink(fact);
    this.changed(entry, 'mirroredimages', '');
  }

  removeCopy(fact: CopyFact): void {
    this.copyNames.remove(fact);
    this.relink(fact);
    const entry = this.entries.get(imageNameOf(fact.source).id);
    if (!entry) return;
    entry.copies = withoutItem(entry.copies, fact);
    this.changed(entry, 'mirroredimages', '');
  }

  /** Results for a user of these images changed. */
  touch(images: readonly ContainerImage[], namespace: string): void {
    for (const { source } of images) {
      const full = fullText(source);
      const entry = this.aliases.get(full)?.entry ?? this.entries.get(full);
      if (entry) this.changed(entry, 'policyreports', namespace);
    }
  }

  /** The name that is kept already, if it is an image's. */
  sharedName(text: string): string {
    return this.entries.get(text)?.id ?? text;
  }

  /** The same images of another user, if there is one: mostly the workload of a pod. */
  sharedImages(images: readonly ContainerImage[]): readonly ContainerImage[] {
    const [first] = images;
    if (!first) return noImages;
    const entry = this.entries.get(first.source);
    for (const user of someUsers(entry)) if (areEqual(user.images, images)) return user.images;
    const kept = images.map(({ container, image, source }) => {
      const name = this.sharedName(source);
      return { container: this.intern(container), image: image === source ? name : image, source: name };
    });
    return kept;
  }

  /** The digest of the image that is named so, as a copy or a pod of it has it. */
  sharedDigest(name: string, digest: string): string {
    const entry = this.entries.get(name);
    for (const copy of itemsOf(entry?.copies)) if (copy.digest === digest) return copy.digest;
    for (const { pulledDigest } of first(itemsOf(entry?.pods))) if (pulledDigest === digest) return pulledDigest;
    return ownText(digest);
  }

  private usersOf(written: string): NameUsers {
    const full = fullText(written);
    const known = this.aliases.get(full);
    if (known) return known;
    const entry = this.entryOf(this.resolve(written));
    return entry.id === full ? entry : this.addAlias(full, entry);
  }

  private addAlias(full: string, entry: ImageEntry): Alias {
    const alias = new Alias(full, entry);
    this.aliases.set(full, alias);
    entry.aliases = withItem(entry.aliases, alias);
    return alias;
  }

  private removeAlias(alias: Alias): void {
    this.aliases.delete(alias.full);
    alias.entry.aliases = withoutItem(alias.entry.aliases, alias);
  }

  private resolve(text: string): ImageName {
    const name = imageNameOf(text);
    const copy = this.copyNames.find(name);
    return copy ? imageNameOf(copy.source) : name;
  }

  private entryOf({ id, registry, tag, digest }: ImageName): ImageEntry {
    let entry = this.entries.get(id);
    if (!entry) {
      const own = (text: string) => (text === '' ? '' : this.intern(text));
      entry = new ImageEntry(id, own(registry), own(tag), digest === '' ? '' : ownText(digest));
      this.entries.set(id, entry);
    }
    return entry;
  }

  /** Containers that name the copy, by tag, by digest or by both. */
  private relink(fact: CopyFact): void {
    const keys = copyKeys(fact);
    const both = fact.digest === '' ? [] : [`${keys[0]}@${fact.digest}`];
    for (const key of [...keys, ...both]) {
      this.moveStrays(key);
      const users = this.aliases.get(key) ?? this.entries.get(key);
      if (users && !isUnused(users)) this.moveUsers(key, users);
    }
  }

  private moveUsers(full: string, users: Alias | ImageEntry): void {
    const before = entryOfUsers(users);
    const next = this.entryOf(this.resolve(full));
    if (next === before) return;
    const { workloads, pods } = users;
    if (users instanceof Alias) this.removeAlias(users);
    else [users.workloads, users.pods] = [undefined, undefined];
    const moved = next.id === full ? next : this.addAlias(full, next);
    [moved.workloads, moved.pods] = [workloads, pods];
    for (const { namespace } of [...itemsOf<WorkloadFact>(workloads), ...itemsOf<PodFact>(pods)])
      for (const entry of [before, next]) this.changed(entry, 'pods', namespace);
  }

  /** What names the copy and came before the MirroredImage, such as the report of a scanner. */
  private moveStrays(copy: ImageId): void {
    const stray = this.entries.get(copy);
    const home = this.resolve(copy);
    if (!stray || home.id === copy) return;
    for (const list of linked)
      for (const fact of [...itemsOf<LinkedFacts[Linked]>(stray[list])]) {
        this.unlink(list, fact as never);
        this.link(list, home.id, fact as never);
      }
  }

  private changed(entry: ImageEntry, kind: ShownKind, namespace: string): void {
    entry.changedAtMs = this.now();
    this.onChange(entry.id, kind, namespace);
    if (!entry.isEmpty) return;
    this.entries.delete(entry.id);
  }
}

const noImages: readonly ContainerImage[] = [];
const entryOfUsers = (users: NameUsers): ImageEntry => (users instanceof Alias ? users.entry : (users as ImageEntry));

const maxCompared = 4;
/** Some of them only: an image may have thousands. */
function* someUsers(entry: NameUsers | undefined): Generator<WorkloadFact | PodFact> {
  yield* first(itemsOf(entry?.workloads));
  yield* first(itemsOf(entry?.pods));
}

function* first<T>(items: Iterable<T>): Generator<T> {
  let count = 0;
  for (const item of items) {
    if (count++ === maxCompared) return;
    yield item;
  }
}

const areEqual = (a: readonly ContainerImage[], b: readonly ContainerImage[]) =>
  a.length === b.length &&
  a.every(
    ({ container, image, source }, index) =>
      container === b[index]!.container && image === b[index]!.image && source === b[index]!.source,
  );

/** First the name of the copy with its tag. */
function copyKeys({ copy, digest }: CopyFact): readonly string[] {
  const name = imageNameOf(copy);
  const keys = [name.tag === '' ? name.id : `${name.repository}:${name.tag}`];
  return digest === '' ? keys : [...keys, `${name.repository}@${digest}`];
}
