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
  readonly content: string | undefined;
  /** The generation in which the content is as the annotation says. */
  readonly contentGeneration: number | undefined;
  readonly hasAdmissionResults: boolean;
}

function observe({ metadata }: KubeObject): ObservedReport {
  const { name = '', namespace = '', uid = '', resourceVersion = '', generation = 0 } = metadata;
  const own = metadata.annotations ?? {};
  const contentGeneration = own[annotations.generation];
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    generation,
    policy: own[annotations.policy],
    content: own[annotations.content],
    contentGeneration: contentGeneration === undefined ? undefined : Number(contentGeneration),
    hasAdmissionResults: own[annotations.admission] === 'true',
  };
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
 * delivers them.
 */
export class OwnReports {
  private readonly informers: readonly Informer<KubeObject, ObservedReport>[];
  private readonly written = new Map<string, ObservedReport>();

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
          this.written.delete(key);
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

  list(): readonly ObservedReport[] {
    return this.informers.flatMap((informer) => informer.list());
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

  /** Records the server's response to a write of ours. */
  noteWritten(object: KubeObject): void {
    const report = observe(object);
    this.written.set(keyOfReport(report), { ...report, contentGeneration: report.generation });
  }

  /** Records a report of ours that was just read. */
  noteRead(object: KubeObject): void {
    const report = observe(object);
    this.written.set(keyOfReport(report), report);
  }

  forget(key: string): void {
    this.written.delete(key);
  }
}
