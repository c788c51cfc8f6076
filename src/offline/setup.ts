import { UsageError } from '../base/index.ts';
import { type Files, manifestFiles, readObjects, type Written } from '../manifests/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { RequestInfo } from '../policy/index.ts';
import { readExceptions, readPolicies } from './policies.ts';
import { loadUserInfo } from './user-info.ts';
import { loadValues, type ValuesSpec } from './values.ts';

export interface ApplyOptions {
  readonly files: Files;
  readonly policies: readonly string[];
  readonly exceptions?: readonly string[] | undefined;
  readonly valuesFile?: string | undefined;
  /** Variables by name, which override the values file: `--set a.b=c`. */
  readonly set?: Readonly<Record<string, unknown>> | undefined;
  readonly userInfoFile?: string | undefined;
  /** Objects of the cluster: they resolve ConfigMap entries and API calls, and are targets and clone sources. */
  readonly cluster?: readonly string[] | undefined;
  readonly now: number;
  readonly explain?: boolean | undefined;
}

/** Everything an evaluation needs except the resources: plain data that can be sent to a thread. */
export interface ApplySetup {
  readonly policies: readonly Written<KubeObject>[];
  readonly ignored: number;
  readonly exceptions: readonly Written<KubeObject>[];
  readonly values: ValuesSpec;
  readonly userInfo: RequestInfo | undefined;
  readonly cluster: readonly KubeObject[] | undefined;
  readonly now: number;
  readonly explain: boolean;
}

export function loadSetup(options: ApplyOptions): ApplySetup {
  const { files, set = {}, now, explain = false } = options;
  if (options.policies.length === 0) throw new UsageError('offline-no-policies', 'no policy is named');
  const { objects, ignored } = readPolicies(files, options.policies);
  const values = options.valuesFile === undefined ? {} : loadValues(files, options.valuesFile);
  return {
    policies: objects,
    ignored,
    exceptions: readExceptions(files, options.exceptions ?? []),
    values: Object.keys(set).length === 0 ? values : withSet(values, set),
    userInfo: options.userInfoFile === undefined ? undefined : loadUserInfo(files, options.userInfoFile),
    cluster: options.cluster?.flatMap((path) =>
      [...manifestFiles(files, path)].flatMap((file) => readObjects(files, file).map(({ value }) => value)),
    ),
    now,
    explain,
  };
}

/** Command-line variables come last and override the values of single resources too. */
function withSet(values: ValuesSpec, set: Readonly<Record<string, unknown>>): ValuesSpec {
  return {
    ...values,
    globalValues: { ...values.globalValues, ...set },
    ...(values.policies
      ? {
          policies: values.policies.map((policy) => ({
            ...policy,
            ...(policy.resources
              ? { resources: policy.resources.map((one) => ({ ...one, values: { ...one.values, ...set } })) }
              : {}),
          })),
        }
      : {}),
  };
}
