import { renderJson } from '../../base/index.ts';

interface Panel {
  readonly title: string;
  readonly expression: string;
  readonly legend: string;
  readonly unit: 'short' | 's' | 'ops' | 'Bps';
}

const panels: readonly Panel[] = [
  {
    title: 'Reviews',
    expression: 'sum by (path, outcome) (rate(supercargo_admission_reviews_total[5m]))',
    legend: '{{path}} {{outcome}}',
    unit: 'ops',
  },
  {
    title: 'Time of a review (99 %)',
    expression:
      'histogram_quantile(0.99, sum by (path, le) (rate(supercargo_admission_review_duration_seconds_bucket[5m])))',
    legend: '{{path}}',
    unit: 's',
  },
  {
    title: 'Results in reports',
    expression: 'sum by (result) (supercargo_report_results)',
    legend: '{{result}}',
    unit: 'short',
  },
  {
    title: 'Age of the oldest change that is not reported',
    expression: 'max(supercargo_report_scan_lag_seconds)',
    legend: 'lag',
    unit: 's',
  },
  {
    title: 'Copies of images',
    expression: 'sum by (result) (increase(supercargo_mirror_copies_total[1h]))',
    legend: '{{result}}',
    unit: 'short',
  },
  {
    title: 'Copied bytes',
    expression: 'sum(rate(supercargo_mirror_copied_bytes_total[5m]))',
    legend: 'bytes',
    unit: 'Bps',
  },
  {
    title: 'Generated objects',
    expression: 'sum by (effect) (increase(supercargo_generate_effects_total[1h]))',
    legend: '{{effect}}',
    unit: 'short',
  },
  {
    title: 'Detections by result',
    expression: 'sum by (result) (increase(supercargo_create_detections_total[1h]))',
    legend: '{{result}}',
    unit: 'short',
  },
  { title: 'Leaders', expression: 'sum by (name) (leader_election_master_status)', legend: '{{name}}', unit: 'short' },
  { title: 'Keys waiting', expression: 'sum by (name) (workqueue_depth)', legend: '{{name}}', unit: 'short' },
];

/** For Grafana's sidecar, which imports ConfigMaps with its label. */
export const grafanaDashboard = `${renderJson(
  {
    uid: 'supercargo',
    title: 'Supercargo',
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
    panels: panels.map(({ title, expression, legend, unit }, index) => ({
      id: index + 1,
      title,
      type: 'timeseries',
      datasource: { type: 'prometheus', uid: '$datasource' },
      gridPos: { x: (index % 2) * 12, y: Math.floor(index / 2) * 8, w: 12, h: 8 },
      fieldConfig: { defaults: { unit }, overrides: [] },
      targets: [{ refId: 'A', expr: expression, legendFormat: legend }],
    })),
  },
  2,
)}\n`;
