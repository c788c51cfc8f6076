import { renderYaml } from '../../base/index.ts';
import type { ReportSink, SinkOptions } from './sink.ts';

/** Every resource as the policies leave it, then what they generate for it: to be piped to `kubectl apply -f -`. */
export function resourcesReport({ write }: SinkOptions): ReportSink {
  return {
    add({ object, generated = [] }) {
      for (const one of object ? [object, ...generated] : generated) write(`---\n${renderYaml(one)}`);
    },
    end: () => undefined,
  };
}
