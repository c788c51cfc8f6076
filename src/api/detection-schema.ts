import {
  conditions,
  described,
  duration,
  exactlyOne,
  flag,
  integer,
  listOf,
  nonEmpty,
  object,
  oneOf,
  type Schema,
  text,
  textMap,
  time,
  type Validation,
  validated,
  withDefault,
} from './schema.ts';

const secretRef = object({ name: nonEmpty }, ['name']);
const reference = object({ name: nonEmpty, namespace: text }, ['name']);
const between = (minimum: number, maximum: number, value: number): Schema =>
  withDefault(value, { ...integer, minimum, maximum });

const patternNames = ['repositoryPattern', 'imageNamePattern', 'imagePattern'] as const;
const pattern = { type: 'string', minLength: 1, maxLength: 512 } as const;
const patterns: Readonly<Record<string, Schema>> = {
  repositoryPattern: described('Repositories by path; a star stands for anything but a slash: team-a/*.', pattern),
  imageNamePattern: described('Repositories by the last part of their path: *-service.', pattern),
  imagePattern: described('Repositories by path, and their tags: team-a/*:v*.', pattern),
};
const patternRules: readonly Validation[] = [
  exactlyOne(...patternNames),
  ...patternNames.flatMap((name): Validation[] => [
    { rule: `!has(self.${name}) || self.${name} != '*'`, message: `${name}: a lone * would take every repository` },
    { rule: `!has(self.${name}) || !self.${name}.contains('**')`, message: `${name}: ** has no meaning` },
  ]),
];
const scan: Readonly<Record<string, Schema>> = {
  maxRepositories: between(1, 200, 50),
  maxConcurrentScans: between(1, 50, 10),
  scanTimeout: withDefault('5m', duration),
};

const selection = validated(
  object({
    perRepository: withDefault(false, flag),
    semver: object({ range: nonEmpty }, ['range']),
    alphabetical: object({ order: withDefault('asc', oneOf('asc', 'desc')) }),
    pattern: object({ regex: nonEmpty, extractPrefix: withDefault(false, flag) }, ['regex']),
  }),
  exactlyOne('semver', 'alphabetical', 'pattern'),
);

/** The last detection of a repository and prefix: nothing is detected twice, and nothing is downgraded. */
const lastDetected = object({
  repository: text,
  prefix: text,
  tag: text,
  digest: text,
  pushedAt: time,
  createdAt: time,
  detectedAt: time,
});

const seenTags = described(
  'The tags that earlier scans listed, as hashes, where the registry tells no time of a push.',
  object({ selection: text, repositories: listOf(object({ repository: text, tags: text }, ['repository', 'tags'])) }, [
    'selection',
    'repositories',
  ]),
);

export const imageResourcePolicySchema = object(
  {
    spec: validated(
      object(
        {
          ecrRepository: validated(
            object({ region: nonEmpty, registryId: text, endpoint: text, ...patterns, ...scan }, ['region']),
            ...patternRules,
          ),
          ociRepository: validated(
            object(
              {
                registry: described('Host and port of the registry: ghcr.io, registry.example:5000.', nonEmpty),
                secretRef: described('A Secret of type kubernetes.io/dockerconfigjson.', secretRef),
                certSecretRef: described('A Secret with ca.crt.', secretRef),
                insecure: described('Plain HTTP.', withDefault(false, flag)),
                ...patterns,
                ...scan,
              },
              ['registry'],
            ),
            ...patternRules,
          ),
          policy: selection,
          templateRef: reference,
          aws: object({ roleArn: text, secretRef }),
          interval: withDefault('5m', duration),
          ttlDays: between(0, 365, 7),
          suspend: withDefault(false, flag),
        },
        ['policy', 'templateRef'],
      ),
      exactlyOne('ecrRepository', 'ociRepository'),
    ),
    status: object({
      observedGeneration: { type: 'integer', format: 'int64' },
      lastScanTime: time,
      repositories: described('How many repositories the pattern took in the last scan.', integer),
      images: described('How many tags were looked at in the last scan.', integer),
      detected: described('How many images were detected in all.', integer),
      lastDetected: listOf(lastDetected),
      seenTags,
      conditions,
    }),
  },
  ['spec'],
);

const gitRepository = object(
  {
    url: { type: 'string', minLength: 1, maxLength: 2048, pattern: '^[^\\s]+$' },
    branch: withDefault('main', nonEmpty),
    path: withDefault('.', text),
    secretRef,
    commitMessage: described('A template; the data are those of the files.', text),
    author: object({ name: text, email: text }),
  },
  ['url'],
);

export const resourceTemplateSchema = object(
  {
    spec: validated(
      object(
        {
          template: text,
          multiFiles: {
            ...listOf(object({ relativePath: nonEmpty, template: text }, ['relativePath', 'template'])),
            minItems: 1,
            maxItems: 100,
          },
          gitRepository,
          variables: textMap,
          duplicateCheck: withDefault('repository', oneOf('repository', 'exact', 'baseName')),
          validation: object({ dryRun: withDefault(false, flag) }),
          allowedKinds: described(
            'The kinds that may be committed: Kind, group/Kind, group/* or *. Without it anything but cluster-scoped built-in kinds.',
            { ...listOf({ type: 'string', minLength: 1, maxLength: 316 }), minItems: 1, maxItems: 100 },
          ),
          allowExternalDetections: described(
            'Takes ImageDetected objects that the status of their policy does not confirm.',
            withDefault(false, flag),
          ),
        },
        ['gitRepository'],
      ),
      exactlyOne('template', 'multiFiles'),
    ),
    status: object({ observedGeneration: { type: 'integer', format: 'int64' }, conditions }),
  },
  ['spec'],
);

/** Every field that reaches a template has the grammar of image references: none can add a line to a manifest. */
const component = '[a-z0-9]+([._-]+[a-z0-9]+)*';
const host = '[A-Za-z0-9.:\\[\\]-]+';
const tagForm = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}';
const matching = (form: string, maxLength: number): Schema => ({ type: 'string', maxLength, pattern: `^${form}$` });

export const imageDetectedSchema = object(
  {
    spec: object(
      {
        imageName: matching(component, 255),
        imageTag: matching(tagForm, 128),
        imageDigest: matching('(sha256:[a-f0-9]{64}|sha512:[a-f0-9]{128})', 135),
        fullImageName: matching(`(${host}/)?${component}(/${component})*:${tagForm}`, 700),
        registry: matching(host, 262),
        repository: matching(`${component}(/${component})*`, 255),
        tagPrefix: matching('[A-Za-z0-9_.-]*', 128),
        sourcePolicy: reference,
        detectedAt: time,
        pushedAt: time,
        ttlDays: integer,
      },
      ['imageName', 'imageTag', 'imageDigest', 'fullImageName', 'sourcePolicy', 'detectedAt'],
    ),
    status: object({
      phase: oneOf('Pending', 'Processing', 'Completed', 'Failed'),
      resourceCreated: flag,
      gitCommitSHA: text,
      files: listOf(text),
      processedAt: time,
      message: text,
      attempts: integer,
      conditions,
    }),
  },
  ['spec'],
);
