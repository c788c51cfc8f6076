import type { Environment } from '../kube/index.ts';

/** The settings that a command line gives. */
export interface ConfigFlags {
  readonly features?: readonly string[] | undefined;
  readonly logLevel?: string | undefined;
  readonly logFormat?: string | undefined;
  readonly namespace?: string | undefined;
  /** `service`, `loopback` or `url=https://…`. */
  readonly exposure?: string | undefined;
}

const urlOf = (exposure: string | undefined) => (exposure?.startsWith('url=') ? exposure.slice(4) : undefined);

interface Overridable {
  readonly key: string;
  readonly flag?: { readonly name: string; readonly of: (flags: ConfigFlags) => unknown };
  readonly env?: string;
  /** Values in any letter case. */
  readonly ignoresCase?: true;
}

/** The settings that have an environment variable or a flag. The flag wins over the variable, and it over the file. */
export const overridableSettings: readonly Overridable[] = [
  { key: 'features', flag: { name: '--features', of: ({ features }) => features } },
  {
    key: 'logLevel',
    flag: { name: '--log-level', of: ({ logLevel }) => logLevel },
    env: 'LOG_LEVEL',
    ignoresCase: true,
  },
  {
    key: 'logFormat',
    flag: { name: '--log-format', of: ({ logFormat }) => logFormat },
    env: 'LOG_FORMAT',
    ignoresCase: true,
  },
  { key: 'mirror.registry', env: 'BACKUP_REGISTRY' },
  { key: 'namespace', flag: { name: '--namespace', of: ({ namespace }) => namespace } },
  { key: 'webhook.url', flag: { name: '--exposure', of: ({ exposure }) => urlOf(exposure) } },
  {
    key: 'webhook.exposure',
    flag: {
      name: '--exposure',
      of: ({ exposure }) => (urlOf(exposure) === undefined ? exposure : undefined),
    },
  },
];

/** A value that replaces that of the file. */
export interface Override {
  readonly key: string;
  readonly value: unknown;
  readonly from: 'environment' | 'flag';
  /** The variable or the flag. */
  readonly name: string;
}

/** An empty variable counts as not set. */
export function overridesOf(flags: ConfigFlags, env: Environment): readonly Override[] {
  return overridableSettings.flatMap(({ key, flag, env: variable, ignoresCase }): readonly Override[] => {
    const given = flag?.of(flags);
    if (flag && given !== undefined) return [{ key, value: given, from: 'flag', name: flag.name }];
    const text = variable === undefined ? undefined : env[variable];
    if (variable === undefined || text === undefined || text === '') return [];
    return [{ key, value: ignoresCase ? text.toLowerCase() : text, from: 'environment', name: variable }];
  });
}
