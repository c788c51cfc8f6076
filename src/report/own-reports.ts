import { ownerLabel } from '../api/index.ts';
import type { Logger } from '../base/index.ts';
import { compareResourceVersions, createInformer, type Informer, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { annotations, reportTypes } from './report-object.ts';

/** What is known of a report object from its metadata. */
export interface ObservedReport {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly policy: string | undefined;
}

/**
 * A form of a report that we wrote, or compared with what it must say. Only the server sets uid and generation, and it
 * counts every change of what the report says, so that nobody can give another content to the same form.
 */
export interface KnownForm {
  readonly uid: string;
  readonly generation: number;
  /** Fingerprint of what it says. */
  readonly content: string;
}

function observe({ metadata }: KubeObject): ObservedReport {
  const { name = '', namespace = '', uid = '', resourceVersion = '', generation = 0 } = metadata;
  return { namespace, name, uid, resourceVersion, generation, policy: metadata.annotations?.[annotations.policy] };
}

const keyOfReport = ({ namespace, name }: Pick<ObservedReport, 'namespace' | 'name'>) =>
  namespace === '' ? name : `${namespace}/${name}`;

interface OwnReportsOptions {
  readonly client: KubeClient;
  readonly installation: string;
  readonly log: Logger;
  readonly onChange: (key: string) => void;
}

/**
 * Our reports in the cluster, watched by metadata only. Our own writes count from the response on, before the watch
 * delivers them. What a report says is known only of forms that we wrote or read ourselves, never from its metadata.
 */
export class OwnReports {
  private readonly informers: readonly Informer<KubeObject, ObservedReport>[];
  private readonly written = new Map<string, ObservedReport>();
  private readonly known = new Map<string, KnownForm>();

  constructor({ client, installation, log, onChange }: OwnReportsOptions) {
    this.informers = [reportTypes.namespaced, reportTypes.cluster].map((type) => {
      const informer = createInformer<KubeObject, ObservedReport>({
        client,
        type,
        labelSelector: `${ownerLabel}=${installation}`,
        metadataOnly: true,
        log,
        project: observe,
      });
      informer.addHandler({
        onAdd: ({ key }) => onChange(key),
        onUpdate: ({ key }) => onChange(key),
        onDelete: ({ key }) => {
          this.forget(key);
          onChange(key);
        },
      });
      return informer;
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.informers.map((informer) => informer.run(signal)));
  }

  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all(this.informers.map((informer) => informer.synced(signal)));
  }

  get(key: string): ObservedReport | undefined {
    const watched = this.informers[key.includes('/') ? 0 : 1]!.get(key);
    const own = this.written.get(key);
    if (!watched || !own) return watched ?? own;
    if (watched.resourceVersion === own.resourceVersion) return own;
    if ((compareResourceVersions(watched.resourceVersion, own.resourceVersion) ?? 1) < 0) return own;
    this.written.delete(key);
    return watched;
  }

  /** Fingerprint of what the report says as it is now; undefined if another client may have written it. */
  contentOf(key: string): string | undefined {
    const [observed, known] = [this.get(key), this.known.get(key)];
    if (!observed || observed.uid !== known?.uid || observed.generation !== known.generation) return undefined;
    return known.content;
  }

  /** Fingerprint of what it said when that was last known. */
  lastContentOf(key: string): string | undefined {
    return this.known.get(key)?.content;
  }

  /** Records what a report of ours says in the form that the server has just returned. */
  noteContent(object: KubeObject, content: string): void {
    const report = observe(object);
    const key = keyOfReport(report);
    this.written.set(key, report);
    this.known.set(key, { uid: report.uid, generation: report.generation, content });
  }

  /** Records a report with our label that was just read, whoever wrote it. */
  noteRead(object: KubeObject): void {
    const report = observe(object);
    this.written.set(keyOfReport(report), report);
  }

  forget(key: string): void {
    this.written.delete(key);
    this.known.delete(key);
  }

  /** The forms that an earlier run knew. */
  restore(forms: Iterable<readonly [key: string, form: KnownForm]>): void {
    for (const [key, form] of forms) if (!this.known.has(key)) this.known.set(key, form);
  }

  /** For the next run. */
  *knownForms(): Generator<readonly [key: string, form: KnownForm]> {
    for (const [key, form] of this.known) if (this.contentOf(key) !== undefined) yield [key, form];
  }
}
