import { pathToFileURL } from 'node:url';
import { renderJson } from '../../base/index.ts';
import { entryResource, type ReportEntry } from './entry.ts';
import type { ReportSink, SinkOptions } from './sink.ts';

/**
 * SARIF 2.1.0 for code scanners: the failures, with the file of the resource. Results are written as they come; the
 * rules they name follow at the end.
 */
export function sarifReport({ write, version }: SinkOptions): ReportSink {
  const rules = new Map<string, { readonly index: number; readonly rule: object }>();
  let separator = '{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"results":[\n';
  return {
    add({ entries }) {
      for (const entry of entries) {
        if (entry.result === 'pass' || entry.result === 'skip') continue;
        const id = entry.rule === '' ? entry.policy : `${entry.policy}/${entry.rule}`;
        const known = rules.get(id) ?? { index: rules.size, rule: ruleOf(id, entry) };
        rules.set(id, known);
        write(`${separator}${renderJson(resultOf(entry, id, known.index))}`);
        separator = ',\n';
      }
    },
    end() {
      const driver = { name: 'supercargo', version, rules: [...rules.values()].map(({ rule }) => rule) };
      write(`${separator.startsWith('{') ? separator : '\n'}],"tool":${renderJson({ driver })}}]}\n`);
    },
  };
}

const scores: Readonly<Record<string, string>> = {
  critical: '9.5',
  high: '8.0',
  medium: '5.5',
  low: '3.0',
  info: '0.0',
};

const levels: Readonly<Record<string, string>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
};

/** By the severity of the policy; without one an enforced rule is an error. A warning is never raised. */
function levelOf({ result, action, severity }: ReportEntry): string {
  const level = severity === undefined ? undefined : levels[severity];
  if (result === 'warn') return level === 'note' ? level : 'warning';
  return level ?? (action === 'Audit' ? 'warning' : 'error');
}

function ruleOf(id: string, entry: ReportEntry): object {
  const { policy, rule, category, severity, description } = entry;
  const properties = {
    ...(category === undefined ? {} : { tags: [category] }),
    ...(severity === undefined ? {} : { 'security-severity': scores[severity] }),
  };
  return {
    id,
    name: rule || policy,
    shortDescription: { text: describe(entry) },
    ...(description === undefined ? {} : { fullDescription: { text: description } }),
    defaultConfiguration: { level: levelOf(entry) },
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
  };
}

/** A policy of expressions has no rules with names. */
function describe({ policy, rule, title }: ReportEntry): string {
  if (rule === '') return title ?? `policy ${policy}`;
  return title === undefined ? `rule ${rule} of policy ${policy}` : `${title}: ${rule}`;
}

function resultOf(entry: ReportEntry, ruleId: string, ruleIndex: number): object {
  const { file, line, fieldLine = line, result, message, path } = entry;
  const where = path === undefined ? '' : ` (${path})`;
  return {
    ruleId,
    ruleIndex,
    level: levelOf(entry),
    message: { text: `${entryResource(entry)}: ${message === '' ? result : message}${where}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file) },
          ...(fieldLine === undefined ? {} : { region: { startLine: fieldLine } }),
        },
        logicalLocations: [{ fullyQualifiedName: entryResource(entry), kind: 'resource' }],
      },
    ],
    partialFingerprints: { resource: `${ruleId}:${entryResource(entry)}` },
  };
}

/** Relative paths stay relative: the scanner knows the root. */
function uriOf(file: string): string {
  if (file === '-') return 'stdin';
  return file.startsWith('/') ? pathToFileURL(file).href : file.split('/').map(encodeURIComponent).join('/');
}
