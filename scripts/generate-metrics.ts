// Writes docs/reference/metrics.md from the metrics that the program registers.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeMetrics, renderMetricsReference } from '../src/app/metrics-reference.ts';

mkdirSync(fileURLToPath(new URL('../docs/reference', import.meta.url)), { recursive: true });
const file = fileURLToPath(new URL('../docs/reference/metrics.md', import.meta.url));
writeFileSync(file, renderMetricsReference(await describeMetrics()));
