import { renderJson, renderYaml } from '../../base/index.ts';
import type { ReportSink, SinkOptions } from './sink.ts';

/** One JSON object; results are written as they come. */
export function jsonReport({ write }: SinkOptions): ReportSink {
  let separator = '{"results":[\n';
  return {
    add({ entries }) {
      for (const entry of entries) {
        write(`${separator}${renderJson(entry)}`);
        separator = ',\n';
      }
    },
    end(totals) {
      write(`${separator.startsWith('{') ? separator : '\n'}],${renderJson(totals).slice(1)}\n`);
    },
  };
}

/** The same as YAML. */
export function yamlReport({ write }: SinkOptions): ReportSink {
  let isEmpty = true;
  return {
    add({ entries }) {
      if (entries.length === 0) return;
      if (isEmpty) write('results:\n');
      isEmpty = false;
      write(renderYaml(entries));
    },
    end(totals) {
      if (isEmpty) write('results: []\n');
      write(renderYaml(totals));
    },
  };
}
