import { Counter, Gauge, type Registry } from 'prom-client';

export interface MirrorMetrics {
  /** Images of one request: replaced by copies, and left unchanged. */
  reviewed(replaced: number, kept: number): void;
  copied(result: 'copied' | 'present' | 'failed', bytes: number): void;
  copying(change: 1 | -1): void;
  rewritten(): void;
  /** A touch after which a workload still had an image that has a copy. */
  unrewritten(): void;
  /** An image that was not recorded because its namespace has too many. */
  refused(): void;
}

export function createMirrorMetrics(registry: Registry): MirrorMetrics {
  const registers = [registry];
  const images = new Counter({
    name: 'supercargo_mirror_reviewed_images_total',
    help: 'Images of admitted workloads, by whether they were replaced by a copy.',
    labelNames: ['outcome'],
    registers,
  });
  const copies = new Counter({
    name: 'supercargo_mirror_copies_total',
    help: 'Copies of images, by result.',
    labelNames: ['result'],
    registers,
  });
  const bytes = new Counter({
    name: 'supercargo_mirror_copied_bytes_total',
    help: 'Bytes copied.',
    registers,
  });
  const active = new Gauge({ name: 'supercargo_mirror_copies_active', help: 'Copies in progress.', registers });
  const rewrites = new Counter({
    name: 'supercargo_mirror_rewritten_workloads_total',
    help: 'Workloads rewritten in the background.',
    registers,
  });
  const unrewritten = new Counter({
    name: 'supercargo_mirror_unrewritten_total',
    help: 'Background touches of workloads after which admission had not rewritten all images.',
    registers,
  });
  const refused = new Counter({
    name: 'supercargo_mirror_refused_images_total',
    help: 'Images that were not recorded because their namespace has too many.',
    registers,
  });
  return {
    reviewed(replaced, kept) {
      images.inc({ outcome: 'replaced' }, replaced);
      images.inc({ outcome: 'kept' }, kept);
    },
    copied(result, count) {
      copies.inc({ result });
      bytes.inc(count);
    },
    copying: (change) => active.inc(change),
    rewritten: () => rewrites.inc(),
    unrewritten: () => unrewritten.inc(),
    refused: () => refused.inc(),
  };
}
