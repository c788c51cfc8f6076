import { Counter, Histogram, type Registry } from 'prom-client';

/** The number of series does not depend on the number of policies and repositories. */
export interface DetectMetrics {
  scanned(result: 'success' | 'partial' | 'failure', seconds: number): void;
  detected(count: number): void;
}

export function createDetectMetrics(registry: Registry): DetectMetrics {
  const registers = [registry];
  const scans = new Histogram({
    name: 'supercargo_detect_scan_duration_seconds',
    help: 'Duration of registry scans, by result.',
    labelNames: ['result'],
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300],
    registers,
  });
  const detections = new Counter({
    name: 'supercargo_detect_images_total',
    help: 'Detected images.',
    registers,
  });
  return {
    scanned: (result, seconds) => scans.observe({ result }, seconds),
    detected: (count) => detections.inc(count),
  };
}
