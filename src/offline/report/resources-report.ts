import { renderYaml } from '../../base/index.ts';
import type { ReportSink, SinkOptions } from './sink.ts';

/** Every resource after mutation, then its generated objects: input for `kubectl apply -f -`. */
export function resourcesReport({ write }: SinkOptions): ReportSink {
  return {
    add({ object, generated = [] }) {
      for (const one of object ? [object, ...generated] : generated) write(`---\n${renderYaml(one)}`);
    },
    end: () => undefined,
  };
}
