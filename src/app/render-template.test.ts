import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeFiles } from '../manifests/index.ts';
import { type RenderOptions, renderTemplate } from './render-template.ts';

const template = (spec: string) =>
  `apiVersion: automation.gitops.io/v1beta1\nkind: ResourceTemplate\nmetadata: { name: t }\nspec:\n${spec}`;
const valid = template(
  '  template: "image: {{ .FullImageName }}\\nteam: {{ .team }}"\n  gitRepository: { url: https://x.example/r.git, path: apps }\n',
);

describe('rendering a template on this machine', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'supercargo-render-'));
    mkdirSync(join(dir, 'repo/apps'), { recursive: true });
    writeFileSync(join(dir, 'repo/apps/team-web.yaml'), 'image: r.example/team/web:v1\nteam: blue\n');
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const render = (text: string, options: Partial<RenderOptions> = {}) => {
    const file = join(dir, 't.yaml');
    writeFileSync(file, text);
    const image = 'r.example/team/web:v1';
    return renderTemplate({
      files: nodeFiles(),
      template: file,
      image,
      variables: { team: 'blue' },
      nowMs: 0,
      ...options,
    });
  };

  it('shows files and message', () => {
    const { files, message } = render(valid);
    expect(files).toEqual([{ path: 'apps/team-web.yaml', content: 'image: r.example/team/web:v1\nteam: blue\n' }]);
    expect(message).toBe('Add team-web v1');
  });

  it('compares with a folder', () => {
    const against = join(dir, 'repo');
    const change = (options: Partial<RenderOptions>) => render(valid, { against, ...options }).files[0];
    expect(change({})).toMatchObject({ change: 'unchanged' });
    // With the duplicate check of a repository the controller keeps the file.
    expect(change({ image: 'r.example/team/web:v2' })).toMatchObject({ change: 'kept' });
    const exact = `${valid}  duplicateCheck: exact\n`;
    expect(render(exact, { against, image: 'r.example/team/web:v2' }).files[0]).toMatchObject({
      change: 'changed',
      diff: '- image: r.example/team/web:v1\n+ image: r.example/team/web:v2\n  team: blue',
    });
    expect(change({ prefix: 'dev' })).toMatchObject({ path: 'apps/team-web-dev.yaml', change: 'added' });
    expect(() => change({ against: join(dir, 't.yaml') })).toThrow('is no folder');
  });

  it.each([
    ['kind: Pod\napiVersion: v1\n', 'there is no ResourceTemplate in it'],
    [`${valid}---\n${valid}`, 'there is a second ResourceTemplate'],
    [valid.replace('v1beta1', 'v9'), 'has no kind ResourceTemplate'],
    [template('  template: a\n'), 'spec.gitRepository: is required'],
    [template('  gitRepository: { url: x }\n'), 'exactly one of template, multiFiles must be set'],
    [template('  template: a\n  gitRepository: { url: x, branch: 1 }\n'), 'spec.gitRepository.branch: 1 is a number'],
    [valid.replace('.team', '.nobody'), 'map has no entry for key "nobody"'],
  ])('%j is refused: %s', (text, why) => {
    expect(() => render(text)).toThrow(why);
  });

  it('rejects invalid images and digests', () => {
    expect(() => render(valid, { image: 'NO' })).toThrow('is no image');
    expect(() => render(valid, { digest: 'NO' })).toThrow();
  });
});
