import {
  conditions,
  described,
  duration,
  exactlyOne,
  flag,
  int64,
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

const secretRef = object({ name: described('The name of the Secret.', nonEmpty) }, ['name']);
const reference = object(
  {
    name: described('Its name.', nonEmpty),
    namespace: described('Its namespace; another one only if the object there allows it by annotation.', text),
  },
  ['name'],
);
const observedGeneration = described('The generation of the spec that the status is about.', int64);
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
  maxRepositories: described('How many repositories are looked at, at most.', between(1, 200, 50)),
  maxConcurrentScans: described('How many repositories are looked at at the same time.', between(1, 50, 10)),
  scanTimeout: described('How long one scan may take.', withDefault('5m', duration)),
};

const selection = validated(
  object({
    perRepository: described('One tag of each repository, whatever the policy.', withDefault(false, flag)),
    semver: described(
      'The highest version in a range, in each repository.',
      object({ range: described('The range: ">=1.0.0 <2.0.0", "^1.4".', nonEmpty) }, ['range']),
    ),
    alphabetical: described(
      'The first tag in alphabetical order, of all repositories together.',
      object({
        order: described('asc for the first, desc for the last.', withDefault('asc', oneOf('asc', 'desc'))),
      }),
    ),
    pattern: described(
      'The newest of the tags that match.',
      object(
        {
          regex: described('A regular expression (RE2) for tags.', nonEmpty),
          extractPrefix: described(
            'One tag for each prefix: what the first group of the expression finds.',
            withDefault(false, flag),
          ),
        },
        ['regex'],
      ),
    ),
  }),
  exactlyOne('semver', 'alphabetical', 'pattern'),
);

/** The last detection of a repository and prefix: nothing is detected twice, and nothing is downgraded. */
const lastDetected = object({
  repository: described('The repository.', text),
  prefix: described('The prefix of the tag, with extractPrefix.', text),
  tag: described('The tag.', text),
  digest: described('Its digest.', text),
  pushedAt: described('When it was pushed, where the registry tells.', time),
  createdAt: described('When the image was built, as its configuration says.', time),
  detectedAt: described('When it was detected.', time),
});

const seenTags = described(
  'The tags that earlier scans listed, as hashes, where the registry tells no time of a push.',
  object(
    {
      selection: described('The policy that the tags were listed for, as a hash.', text),
      repositories: described(
        'The tags by repository.',
        listOf(
          object(
            {
              repository: described('The repository, as a hash.', text),
              tags: described('Its tags, as hashes.', text),
            },
            ['repository', 'tags'],
          ),
        ),
      ),
    },
    ['selection', 'repositories'],
  ),
);

export const imageResourcePolicySchema = object(
  {
    spec: described(
      'Which images are looked at, and which of their tags is wanted.',
      validated(
        object(
          {
            ecrRepository: validated(
              described(
                'Repositories of Amazon ECR.',
                object(
                  {
                    region: described('The AWS region.', nonEmpty),
                    registryId: described('The account of the registry; by default that of the credentials.', text),
                    endpoint: described('Another address of the ECR API, such as a VPC endpoint.', text),
                    ...patterns,
                    ...scan,
                  },
                  ['region'],
                ),
              ),
              ...patternRules,
            ),
            ociRepository: validated(
              described(
                'Repositories of any other OCI registry.',
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
              ),
              ...patternRules,
            ),
            policy: described('Which tags are wanted; exactly one of semver, alphabetical and pattern.', selection),
            templateRef: described('The ResourceTemplate that manifests are made with.', reference),
            aws: described(
              'Credentials for ECR; by default those of the pod.',
              object({
                roleArn: described('A role that is assumed.', text),
                secretRef: described(
                  'A Secret with accessKeyId, secretAccessKey and, if there is one, sessionToken.',
                  secretRef,
                ),
              }),
            ),
            interval: described('How often the registry is looked at.', withDefault('5m', duration)),
            ttlDays: described(
              'After how many days ImageDetected objects are deleted; 0 for never.',
              between(0, 365, 7),
            ),
            suspend: described('Stops looking at the registry.', withDefault(false, flag)),
          },
          ['policy', 'templateRef'],
        ),
        exactlyOne('ecrRepository', 'ociRepository'),
      ),
    ),
    status: described(
      'What the last scan found; written by the controller.',
      object({
        observedGeneration,
        lastScanTime: described('When the last scan ended.', time),
        repositories: described('How many repositories the pattern took in the last scan.', integer),
        images: described('How many tags were looked at in the last scan.', integer),
        detected: described('How many images were detected in all.', integer),
        lastDetected: described('The last detection of each repository and prefix.', listOf(lastDetected)),
        seenTags,
        conditions: described('Ready: whether the last scan succeeded; Stalled: the policy must be fixed.', conditions),
      }),
    ),
  },
  ['spec'],
);

const gitRepository = object(
  {
    url: described('The address, https or ssh.', {
      type: 'string',
      minLength: 1,
      maxLength: 2048,
      pattern: '^[^\\s]+$',
    }),
    branch: described('The branch; created where it does not exist.', withDefault('main', nonEmpty)),
    path: described('The folder that files are written to, and that none may leave.', withDefault('.', text)),
    secretRef: described('A Secret with credentials for https or ssh, in the namespace of the template.', secretRef),
    commitMessage: described('A template; the data are those of the files.', text),
    author: described(
      'The author of commits.',
      object({ name: described('The name.', text), email: described('The email address.', text) }),
    ),
  },
  ['url'],
);

export const resourceTemplateSchema = object(
  {
    spec: described(
      'The files, and where they are committed.',
      validated(
        object(
          {
            template: described("One file in Go's template language, named after the image.", text),
            multiFiles: described('Several files.', {
              ...listOf(
                object(
                  {
                    relativePath: described('The path of the file below gitRepository.path, a template too.', nonEmpty),
                    template: described("The file in Go's template language.", text),
                  },
                  ['relativePath', 'template'],
                ),
              ),
              minItems: 1,
              maxItems: 100,
            }),
            gitRepository: described('Where files are committed.', gitRepository),
            variables: described('Values for templates, as .Variables.name and .name.', textMap),
            duplicateCheck: described(
              'Which running image makes a detection superfluous: the same repository, exactly the same image, or the same name in any registry.',
              withDefault('repository', oneOf('repository', 'exact', 'baseName')),
            ),
            validation: described(
              'Checks before the commit.',
              object({
                dryRun: described('Asks the API server whether it would accept the objects.', withDefault(false, flag)),
              }),
            ),
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
    ),
    status: described(
      'Whether the template can be used; written by the controller.',
      object({ observedGeneration, conditions: described('Ready: whether the template can be used.', conditions) }),
    ),
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
    spec: described(
      'The image.',
      object(
        {
          imageName: described('The last part of the repository.', matching(component, 255)),
          imageTag: described('The tag.', matching(tagForm, 128)),
          imageDigest: described('The digest of the tag.', matching('(sha256:[a-f0-9]{64}|sha512:[a-f0-9]{128})', 135)),
          fullImageName: described(
            'Registry, repository and tag.',
            matching(`(${host}/)?${component}(/${component})*:${tagForm}`, 700),
          ),
          registry: described('The registry.', matching(host, 262)),
          repository: described('The repository in it.', matching(`${component}(/${component})*`, 255)),
          tagPrefix: described('The prefix of the tag, with extractPrefix.', matching('[A-Za-z0-9_.-]*', 128)),
          sourcePolicy: described('The ImageResourcePolicy that detected it.', reference),
          detectedAt: described('When it was detected.', time),
          pushedAt: described('When it was pushed, where the registry tells.', time),
          ttlDays: described('After how many days the object is deleted; 0 for never.', integer),
        },
        ['imageName', 'imageTag', 'imageDigest', 'fullImageName', 'sourcePolicy', 'detectedAt'],
      ),
    ),
    status: described(
      'What became of it; written by the controller.',
      object({
        phase: described('Completed: committed, or skipped.', oneOf('Pending', 'Processing', 'Completed', 'Failed')),
        resourceCreated: described('Whether files were committed; false where the image was skipped.', flag),
        gitCommitSHA: described('The commit.', text),
        files: described('The files of the commit.', listOf(text)),
        processedAt: described('When it was committed or skipped.', time),
        message: described('What happened, and why.', text),
        attempts: described('How often it was tried.', integer),
        conditions: described('Ready: whether the detection is processed, with the reason.', conditions),
      }),
    ),
  },
  ['spec'],
);
