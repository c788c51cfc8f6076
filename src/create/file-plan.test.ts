import { describe, expect, it } from 'vitest';
import type { ResourceTemplate } from '../api/index.ts';
import { builtinSchemaOf } from '../schema/index.ts';
import { CreateError } from './errors.ts';
import { planFiles } from './file-plan.ts';
import { templateData } from './template-data.ts';

const plan = (spec: Partial<ResourceTemplate['spec']>, tag = 'v1.2.3', tagPrefix?: string) => {
  const full = { gitRepository: { url: 'https://git.example/x.git', path: './apps' }, ...spec };
  const data = templateData(
    {
      imageName: 'team-web',
      imageTag: tag,
      imageDigest: 'sha256:1',
      fullImageName: `r.example/team/web:${tag}`,
      ...(tagPrefix === undefined ? {} : { tagPrefix }),
    },
    full,
  );
  return planFiles({ spec: full, data, nowMs: 0, schemaOf: builtinSchemaOf });
};
const paths = (...given: Parameters<typeof plan>) => plan(...given).map(({ path }) => path);
const configMap = (value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  labels: { version: ${value} }\n`;

describe('one template', () => {
  it('is one file, named after the image and its prefix', () => {
    expect(paths({ template: 'a: b' })).toEqual(['apps/team-web.yaml']);
    expect(paths({ template: 'a: b' }, 'dev-1', 'dev')).toEqual(['apps/team-web-dev.yaml']);
    expect(paths({ template: 'a: b' }, '1', '')).toEqual(['apps/team-web.yaml']);
    expect(plan({ template: 'tag: "{{ .ImageTag }}"' })[0]?.content).toBe('tag: "v1.2.3"\n');
  });

  it('may contain several documents, and text with dashes', () => {
    const template = `${configMap('"1"')}---\n${configMap('"2"')}data:\n  text: |\n    ---\n    not a document\n`;
    expect(plan({ template })[0]?.documents).toHaveLength(2);
  });
});

describe('what a server would reject', () => {
  const errorOf = (template: string, more: Partial<ResourceTemplate['spec']> = {}, prefix?: string) => {
    try {
      plan({ template, ...more }, 'v1', prefix);
      return undefined;
    } catch (thrown) {
      return (thrown as CreateError).message;
    }
  };
  const named = (apiVersion: string, kind: string, name: string) =>
    `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: "${name}" }\n`;

  it('is an unknown field of a built-in kind, unless the server checks it in a dry run', () => {
    const misspelt = `${named('apps/v1', 'Deployment', 'web')}spec:
  selector: { matchLabels: { a: b } }
  template:
    metadata: { labels: { a: b } }
    spec: { containers: [{ name: c, imagePullPolcy: Always }] }
`;
    expect(errorOf(misspelt)).toContain(
      'apps/team-web.yaml:1: spec.template.spec.containers[0].imagePullPolcy: is no field of this kind',
    );
    expect(errorOf(misspelt, { validation: { dryRun: true } })).toBeUndefined();
    expect(errorOf(`${named('v1', 'ConfigMap', 'x')}data: { anything: z }\n`)).toBeUndefined();
    expect(errorOf(`${named('example.com/v1', 'Thing', 'x')}anything: y\n`)).toBeUndefined();
  });

  it.each([
    ['v1', 'ConfigMap', 'web-', 'metadata.name: "web-" is no name'],
    ['argoproj.io/v1alpha1', 'Application', 'Web', 'metadata.name: "Web" is no name'],
    ['v1', 'Service', 'a.b', 'must not contain dots'],
    ['rbac.authorization.k8s.io/v1', 'Role', 'a/b', 'it cannot be a part of a path'],
    ['rbac.authorization.k8s.io/v1', 'Role', 'system:Web', undefined],
    ['v1', 'ConfigMap', 'a.b', undefined],
  ])('is an illegal name: %s %s %s', (apiVersion, kind, name, message) => {
    const found = errorOf(named(apiVersion, kind, name));
    if (message === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(message);
  });

  it('is a name that ends with the dash before a missing prefix', () => {
    const template = named('v1', 'ConfigMap', 'web-{{ .TagPrefix }}');
    expect(errorOf(template)).toContain('"web-" is no name');
    expect(errorOf(template, {}, 'dev')).toBeUndefined();
  });
});

describe('a tag that looks like a number', () => {
  const application = (value: string) =>
    `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: x}\nspec:\n  source:\n    targetRevision: ${value}\n    parameters: [{name: t, value: ${value}}]\n`;

  it('gives a warning if it is unquoted in an unknown kind', () => {
    expect(plan({ template: application('{{ .ImageTag }}') }, '1.10')[0]?.warnings).toEqual([
      'apps/team-web.yaml:6: spec.source.targetRevision: 1.10 is read as the number 1.1: put quotes around it in the template, or use | quote',
      'apps/team-web.yaml:7: spec.source.parameters[0].value: 1.10 is read as the number 1.1: put quotes around it in the template, or use | quote',
    ]);
    expect(plan({ template: application('{{ .ImageTag | quote }}') }, '1.10')[0]?.warnings).toEqual([]);
    expect(plan({ template: application('{{ .ImageTag }}') }, 'v1.10')[0]?.warnings).toEqual([]);
    expect(plan({ template: application('1.5') }, '1.10')[0]?.warnings).toEqual([]);
  });
});

describe('several files', () => {
  it('are where their templates say', () => {
    const file = (relativePath: string) => ({ relativePath, template: 'a: b' });
    expect(
      paths(
        { multiFiles: [file('{{ .ServiceName }}/deploy.yaml'), file(' base/{{ .TagPrefix }}.yaml\n')] },
        'p-1',
        'p',
      ),
    ).toEqual(['apps/web/deploy.yaml', 'apps/base/p.yaml']);
  });

  it.each(['../x.yaml', '/x.yaml', 'a/../../x.yaml', '.git/x', '{{ .Variables.up }}/x.yaml', ''])(
    'are refused at %j',
    (relativePath) => {
      const spec = { multiFiles: [{ relativePath, template: 'a: b' }], variables: { up: '../..' } };
      expect(() => plan(spec)).toThrow(expect.objectContaining({ code: 'create-path-refused' }));
    },
  );

  it('are rejected if two have the same path', () => {
    const file = { relativePath: 'x.yaml', template: 'a: b' };
    expect(() => plan({ multiFiles: [file, { ...file, relativePath: './x.yaml' }] })).toThrow('spec.multiFiles[0]');
  });

  it('that are not YAML are not checked', () => {
    expect(plan({ multiFiles: [{ relativePath: 'README.md', template: '# [ {{ .ImageTag }}' }] })[0]?.content).toBe(
      '# [ v1.2.3\n',
    );
  });
});

describe('what is rendered', () => {
  const why = (template: string, tag?: string) => {
    try {
      plan({ template }, tag);
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(CreateError);
      return (thrown as CreateError).message;
    }
    return 'nothing';
  };

  it.each([
    ['1.10', '1.1 is a number'],
    ['0755', '493 is a number'],
    ['on', 'true is a boolean'],
    ['1e3', '1000 is a number'],
  ])('has text where text belongs: the tag %s', (tag, shown) => {
    expect(why(configMap('{{ .ImageTag }}'), tag)).toBe(
      `apps/team-web.yaml:1: metadata.labels.version: ${shown} where text belongs: put quotes around it in the template, or use | quote`,
    );
    expect(why(configMap('{{ .ImageTag | quote }}'), tag)).toBe('nothing');
  });

  it('is checked in unknown kinds as far as all kinds are alike', () => {
    const of = (labels: string) =>
      `apiVersion: x.example/v1\nkind: Thing\nmetadata: { labels: ${labels} }\nspec: { n: 1.1 }\n`;
    expect(why(of('{ a: 1.1 }'))).toContain('metadata.labels.a: 1.1 is a number where text belongs');
    expect(why(of('{ a: b }'))).toBe('nothing');
  });

  it('accepts numbers where a quantity or a port may be one', () => {
    const template = `apiVersion: v1
kind: Pod
metadata: { name: x }
spec:
  containers:
    - name: x
      image: {{ .FullImageName }}
      resources: { limits: { cpu: 1, memory: 64Mi } }
      livenessProbe: { httpGet: { port: 8080 } }
      env: [{ name: TAG, value: {{ .ImageTag }} }]
`;
    expect(why(template)).toBe('nothing');
    expect(why(template, '8')).toContain('spec.containers[0].env[0].value: 8 is a number where text belongs');
  });

  it.each([
    ['', 'renders no document at all'],
    ['- a', 'a manifest is an object, not a list'],
    ['kind: Pod', 'apiVersion: nothing where text belongs'],
    ['a: {{ .Nope }}', 'map has no entry for key "Nope"'],
    ['a: {{ randAlphaNum 5 }}', 'randAlphaNum'],
    ['a: {{', 'spec.template:1'],
  ])('%j is refused: %s', (template, message) => {
    expect(why(template)).toContain(message);
  });

  it('does not depend on the time', () => {
    expect(plan({ template: 'at: "{{ now | date "2006-01-02" }}"' })[0]?.content).toBe('at: "1970-01-01"\n');
  });
});
