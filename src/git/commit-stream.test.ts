import { describe, expect, test } from 'vitest';
import { parseImportResponse, renderCommitStream } from './commit-stream.ts';

const identity = 'A <a@b> 1 +0000';

describe('the stream of a commit', () => {
  test('prints the tree before and after, and the commit last', () => {
    const parent = 'a'.repeat(40);
    const changes = [
      { path: 'apps/a "quoted" name.yaml', mode: '100755', content: Buffer.from('é\n') },
      { path: 'gone', mode: '100644', content: null },
    ];
    expect(renderCommitStream({ parent, identity, message: 'Add ä\n', changes }).toString()).toBe(
      [
        `ls ${parent} ""`,
        'commit refs/supercargo/draft',
        'mark :1',
        `author ${identity}`,
        `committer ${identity}`,
        'data 7',
        'Add ä\n',
        `from ${parent}`,
        'M 100755 inline "apps/a \\"quoted\\" name.yaml"',
        'data 3',
        'é\n',
        'D "gone"',
        'ls ""',
        '',
        'get-mark :1',
        'done',
        '',
      ].join('\n'),
    );
  });

  test('of the first commit has no parent', () => {
    const text = renderCommitStream({ parent: undefined, identity, message: 'x', changes: [] }).toString();
    expect(text).toMatch(/^commit /);
    expect(text).not.toContain('from');
  });
});

describe('the response', () => {
  const [one, two, commit] = ['1'.repeat(40), '2'.repeat(40), 'c'.repeat(40)];
  test('is the commit when the tree has changed', () => {
    expect(parseImportResponse(`040000 tree ${one}\t\n040000 tree ${two}\t\n${commit}`)).toBe(commit);
    expect(parseImportResponse(`040000 tree ${one}\t\n${commit}`)).toBe(commit);
  });
  test('is undefined when the tree is unchanged', () => {
    expect(parseImportResponse(`040000 tree ${one}\t\n040000 tree ${one}\t\n${commit}`)).toBeUndefined();
  });
});
