import type { ContainerImage } from '../inventory/index.ts';
import { type Bag, itemsOf, withItem, withoutItem } from './bag.ts';
import { CopyNames } from './copy-names.ts';
import type { CopyFact, DetectionFact, JobFact, PodFact, VulnerabilityFact, WorkloadFact } from './facts.ts';
import { fullText, type ImageName, imageNameOf } from './image-id.ts';
import type { ImageId } from './protocol.ts';

/** One image with everything that is known of it. */
export class ImageEntry {
  texts: Bag<ImageText> = undefined;
  copies: Bag<CopyFact> = undefined;
  jobs: Bag<JobFact> = undefined;
  detections: Bag<DetectionFact> = undefined;
  vulnerabilities: Bag<VulnerabilityFact> = undefined;
  changedAtMs = 0;

  constructor(
    readonly id: ImageId,
    readonly repository: string,
    readonly registry: string,
    readonly tag: string,
    readonly digest: string,
  ) {}

  *workloads(): Generator<WorkloadFact> {
    for (const text of itemsOf(this.texts)) yield* itemsOf(text.workloads);
  }

  *pods(): Generator<PodFact> {
    for (const text of itemsOf(this.texts)) yield* itemsOf(text.pods);
  }

  get isEmpty(): boolean {
    return (
      this.texts === undefined &&
      this.copies === undefined &&
      this.jobs === undefined &&
      this.detections === undefined &&
      this.vulnerabilities === undefined
    );
  }
}

/** A way in which containers name an image: the image itself, or its copy. */
class ImageText {
  workloads: Bag<WorkloadFact> = undefined;
  pods: Bag<PodFact> = undefined;
  constructor(
    readonly full: string,
    public entry: ImageEntry,
  ) {}
}

const linked = ['jobs', 'detections', 'vulnerabilities'] as const;
type Linked = (typeof linked)[number];
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
  private readonly texts = new Map<string, ImageText>();
  private readonly copyNames = new CopyNames();
  /** Where a fact was linked: its text may mean another image by now. */
  private readonly homes = new Map<object, ImageEntry>();
  private readonly repositories = new Map<string, Bag<ImageEntry>>();

  constructor(
    private readonly onChange: (id: ImageId) => void,
    private readonly now: () => number,
  ) {}

  ofRepository(repository: string): Iterable<ImageEntry> {
    return itemsOf(this.repositories.get(repository));
  }

  /** The identity of an image as some object names it. */
  idOf(text: string): ImageId {
    return this.texts.get(fullText(text))?.entry.id ?? this.resolve(text).id;
  }

  addUser(list: 'workloads' | 'pods', fact: WorkloadFact | PodFact): void {
    this.eachText(fact.images, (text) => {
      if (list === 'pods') text.pods = withItem(text.pods, fact as PodFact);
      else text.workloads = withItem(text.workloads, fact as WorkloadFact);
      this.changed(text.entry);
    });
  }

  removeUser(list: 'workloads' | 'pods', fact: WorkloadFact | PodFact): void {
    this.eachText(fact.images, (text) => {
      if (list === 'pods') text.pods = withoutItem(text.pods, fact as PodFact);
      else text.workloads = withoutItem(text.workloads, fact as WorkloadFact);
      if (text.pods === undefined && text.workloads === undefined) {
        this.texts.delete(text.full);
        text.entry.texts = withoutItem(text.entry.texts, text);
      }
      this.changed(text.entry);
    });
  }

  link<K extends Linked>(list: K, text: string, fact: LinkedFacts[K]): void {
    const entry = this.entryOf(this.resolve(text));
    this.homes.set(fact, entry);
    (entry[list] as Bag<LinkedFacts[K]>) = withItem(entry[list] as Bag<LinkedFacts[K]>, fact);
    this.changed(entry);
  }

  unlink<K extends Linked>(list: K, fact: LinkedFacts[K]): void {
    const entry = this.homes.get(fact);
    if (!entry) return;
    this.homes.delete(fact);
    (entry[list] as Bag<LinkedFacts[K]>) = withoutItem(entry[list] as Bag<LinkedFacts[K]>, fact);
    this.changed(entry);
  }

  /** A copy belongs to its source, whatever other copies say. */
  addCopy(fact: CopyFact): void {
    const entry = this.entryOf(imageNameOf(fact.source));
    entry.copies = withItem(entry.copies, fact);
    this.copyNames.add(fact);
    this.relink(fact);
    this.changed(entry);
  }

  removeCopy(fact: CopyFact): void {
    this.copyNames.remove(fact);
    this.relink(fact);
    const entry = this.entries.get(imageNameOf(fact.source).id);
    if (!entry) return;
    entry.copies = withoutItem(entry.copies, fact);
    this.changed(entry);
  }

  /** Something about a user of these images changed, such as the state of a pod. */
  touch(images: readonly ContainerImage[]): void {
    for (const { source } of images) {
      const text = this.texts.get(fullText(source));
      if (text) this.changed(text.entry);
    }
  }

  private eachText(images: readonly ContainerImage[], act: (text: ImageText) => void): void {
    for (const { source } of images) act(this.textOf(source));
  }

  private textOf(written: string): ImageText {
    const full = fullText(written);
    const known = this.texts.get(full);
    if (known) return known;
    const entry = this.entryOf(this.resolve(written));
    // The identity has the same text, mostly: one of the two is kept.
    const text = new ImageText(entry.id === full ? entry.id : full, entry);
    this.texts.set(text.full, text);
    entry.texts = withItem(entry.texts, text);
    return text;
  }

  private resolve(text: string): ImageName {
    const name = imageNameOf(text);
    const copy = this.copyNames.find(name);
    return copy ? imageNameOf(copy.source) : name;
  }

  private entryOf({ id, repository, registry, tag, digest }: ImageName): ImageEntry {
    let entry = this.entries.get(id);
    if (!entry) {
      entry = new ImageEntry(id, repository, registry, tag, digest);
      this.entries.set(id, entry);
      this.repositories.set(repository, withItem(this.repositories.get(repository), entry));
    }
    return entry;
  }

  /** Containers that name the copy, by tag, by digest or by both. */
  private relink(fact: CopyFact): void {
    const keys = copyKeys(fact);
    const both = fact.digest === '' ? [] : [`${keys[0]}@${fact.digest}`];
    for (const key of [...keys, ...both]) {
      this.moveStrays(key);
      const text = this.texts.get(key);
      if (!text) continue;
      const next = this.entryOf(this.resolve(text.full));
      if (next === text.entry) continue;
      const before = text.entry;
      before.texts = withoutItem(before.texts, text);
      text.entry = next;
      next.texts = withItem(next.texts, text);
      this.changed(before);
      this.changed(next);
    }
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

  private changed(entry: ImageEntry): void {
    entry.changedAtMs = this.now();
    this.onChange(entry.id);
    if (!entry.isEmpty) return;
    this.entries.delete(entry.id);
    const left = withoutItem(this.repositories.get(entry.repository), entry);
    if (left === undefined) this.repositories.delete(entry.repository);
    else this.repositories.set(entry.repository, left);
  }
}

/** First the name of the copy with its tag. */
function copyKeys({ copy, digest }: CopyFact): readonly string[] {
  const name = imageNameOf(copy);
  const keys = [name.tag === '' ? name.id : `${name.repository}:${name.tag}`];
  return digest === '' ? keys : [...keys, `${name.repository}@${digest}`];
}
