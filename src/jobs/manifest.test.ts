import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSettingsReader } from '../insights/index.ts';
import { validateDnsLabel, validateLabelValue } from '../object/index.ts';
import { type CronJob, jobName, labelOf, manifestOf } from './manifest.ts';
import { variableName, variablesOf } from './options.ts';
import { defaultJobTypes, readJobTypes } from './types.ts';

const cronJob: CronJob = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'trivy' },
  spec: {
    jobTemplate: {
      spec: {
        backoffLimit: 2,
        activeDeadlineSeconds: 60,
        selector: { matchLabels: {} },
        template: { spec: { containers: [{ name: 'a' }, { name: 'b', env: [{ name: 'X', value: '1' }] }] } },
      },
    },
  },
};
const make = (reportType: string, options = {}) =>
  manifestOf({
    job: { id: '41', reportType, options },
    type: defaultJobTypes.get(reportType)!,
    cronJob,
    namespace: 'ns',
    installation: 'i',
    isSuspended: false,
    order: '1',
    suffix: 'abcde',
  });

describe('a Job', () => {
  test('gets no option that a Secret or ConfigMap of its container may set, unless the CronJob allows it', () => {
    const from = (envFrom: object[], env: object[] = [], annotations: Record<string, string> = {}) => {
      const containers = [{ name: 'a', envFrom, env }];
      const manifest = manifestOf({
        job: { id: '41', reportType: 'trivy', options: { dbPassword: 'mine', severity: 'high' } },
        type: defaultJobTypes.get('trivy')!,
        cronJob: {
          ...cronJob,
          metadata: { name: 'trivy', annotations },
          spec: { jobTemplate: { spec: { template: { spec: { containers } } } } },
        } as CronJob,
        namespace: 'ns',
        installation: 'i',
        isSuspended: false,
        order: '1',
        suffix: 'abcde',
      });
      if (!('object' in manifest)) throw new Error(manifest.problem);
      const names = manifest.object.spec?.template?.spec?.containers?.[0]?.env?.map(({ name }) => name);
      return { names, ignored: manifest.ignored };
    };
    const secret = { secretRef: { name: 's' } };
    expect(from([secret])).toEqual({ names: [], ignored: ['DB_PASSWORD', 'SEVERITY'] });
    expect(from([{ ...secret, prefix: 'DB_' }])).toEqual({ names: ['SEVERITY'], ignored: ['DB_PASSWORD'] });
    expect(from([secret], [{ name: 'SEVERITY', value: 'low' }])).toEqual({
      names: ['SEVERITY'],
      ignored: ['DB_PASSWORD'],
    });
    const annotations = { 'supercargo.dev/allowed-options': 'A, SEVERITY' };
    expect(from([secret], [], annotations)).toEqual({ names: ['SEVERITY'], ignored: ['DB_PASSWORD'] });
  });

  test('has the template of its CronJob, the shorter of two time limits, and the options in every container', () => {
    const manifest = make('trivy', { x: 2, y: 'z' });
    if (!('object' in manifest)) throw new Error(manifest.problem);
    expect(manifest.object.spec).toEqual({
      backoffLimit: 2,
      suspend: false,
      activeDeadlineSeconds: 60,
      ttlSecondsAfterFinished: 86_400,
      template: {
        spec: {
          containers: [
            {
              name: 'a',
              env: [
                { name: 'X', value: '2' },
                { name: 'Y', value: 'z' },
              ],
            },
            {
              name: 'b',
              env: [
                { name: 'X', value: '2' },
                { name: 'Y', value: 'z' },
              ],
            },
          ],
        },
      },
    });
  });

  test('of a policy sync is not retried', () => {
    const manifest = make('kyverno-policy-sync');
    expect(manifest).toMatchObject({ object: { spec: { backoffLimit: 0 } } });
  });

  test('has a valid name with type, id and a random suffix', () => {
    expect(jobName({ id: '41', reportType: 'trivy', options: {} }, 'abcde')).toBe('trivy-41-abcde');
    fc.assert(
      fc.property(fc.string(), fc.string(), (id, reportType) => {
        expect(validateDnsLabel(jobName({ id, reportType, options: {} }, 'abcde'))).toEqual([]);
        expect(validateLabelValue(labelOf(id))).toEqual([]);
      }),
    );
    const long = jobName({ id: '9223372036854775807', reportType: 'r'.repeat(80), options: {} }, 'abcde');
    expect(long).toHaveLength(63);
    expect(long).toMatch(/^r+-9223372036854775807-abcde$/);
  });
});

describe('options', () => {
  test.each([
    ['imagesToScan', 'IMAGES_TO_SCAN'],
    ['images-to-scan', 'IMAGES_TO_SCAN'],
    ['IMAGES_TO_SCAN', 'IMAGES_TO_SCAN'],
    ['maxCPU', 'MAX_CPU'],
    ['HTTPServerName', 'HTTP_SERVER_NAME'],
    ['level2Deep', 'LEVEL2_DEEP'],
    ['a b', 'A_B'],
  ])('named %s become the variable %s', (option, name) => expect(variableName(option)).toBe(name));

  test('are sorted by name, and null is not an option', () => {
    expect([...variablesOf({ b: 1, a: true, c: null, d: { e: 1 } }).variables]).toEqual([
      ['A', 'true'],
      ['B', '1'],
      ['D', '{"e":1}'],
    ]);
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['a name that begins with a digit', { '1st': 'x' }, /"1st" cannot be a variable's name/],
    ['a name of nothing', { '---': 'x' }, /cannot be a variable's name/],
    ['a zero byte', { a: '\0' }, /zero byte/],
    ['two names that are one', { aB: '1', 'a-b': '2' }, /two options are both A_B/],
    ['too much', { a: 'x'.repeat(70_000) }, /larger than 65536 bytes/],
    ['too many', Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`o${i}`, ''])), /more than 100 options/],
  ])('are refused for %s', (_, options, problem) => expect(variablesOf(options).problems.join()).toMatch(problem));
});

describe('the list of types', () => {
  test('is configurable', () => {
    const reader = createSettingsReader({ JOB_TYPES: 'trivy, nova:10m, audit=audit-cron:90s' });
    expect([...readJobTypes(reader, 'JOB_TYPES')]).toEqual([
      ['trivy', { cronJob: 'trivy', timeoutMs: 1_200_000, retries: true }],
      ['nova', { cronJob: 'nova', timeoutMs: 600_000, retries: true }],
      ['audit', { cronJob: 'audit-cron', timeoutMs: 90_000, retries: true }],
    ]);
    reader.finish();
  });

  test('reports all errors', () => {
    const reader = createSettingsReader({ JOB_TYPES: 'A B,,x:soon' });
    readJobTypes(reader, 'JOB_TYPES');
    expect(() => reader.finish()).toThrow(/"A B".*"".*"x:soon" with a time-out that is not a duration/);
  });
});
