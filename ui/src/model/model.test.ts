import { describe, expect, it } from 'vitest';
import { groupActivity } from './activity.ts';
import { concerns, parseChange, parseHello } from './changes.ts';
import { renderCsv } from './csv.ts';
import { explainQuery, opensAtFirst, renderExplainParam } from './explain-link.ts';
import { afterName, commitUrl, shortDigest, splitImage, withoutName } from './image-name.ts';
import { kubectlKind, renderImageCommand, renderKubectl, rowCommands } from './kubectl.ts';
import { createReconnect } from './reconnect.ts';
import { createShortcuts } from './shortcuts.ts';
import { histogram, stackSegments } from './stack.ts';

describe('changes', () => {
  const change = { views: ['images'], images: ['a'] } as const;

  it('concern the views and the images they name, or any image when they name none', () => {
    expect(concerns(change, { views: ['images', 'jobs'] })).toBe(true);
    expect(concerns(change, { views: ['jobs'] })).toBe(false);
    expect(concerns(change, { views: ['images'], image: 'b' })).toBe(false);
    expect(concerns({ views: ['images'] }, { views: ['images'], image: 'b' })).toBe(true);
  });

  it('are read without trust', () => {
    expect(parseChange('{"views":["images","later"],"images":["a",1]}')).toEqual(change);
    expect(['', 'null', '{"views":1}'].map(parseChange)).toEqual([undefined, undefined, undefined]);
    expect(parseHello('{"isResumed":true,"heartbeatMs":5}')).toEqual({ isResumed: true, heartbeatMs: 5 });
    expect(parseHello('?')).toEqual({ isResumed: false, heartbeatMs: 15_000 });
  });
});

describe('the pauses between attempts to connect', () => {
  it('double up to 30 s, and start again after a connection that lasted', () => {
    const { nextPause } = createReconnect(() => 1);
    expect([0, 0, 0, 0, 0, 0, 0, 0].map(nextPause)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect([60_000, 0].map(nextPause)).toEqual([500, 1000]);
  });

  it('are at least half of that for everybody', () => {
    expect(createReconnect(() => 0).nextPause(0)).toBe(250);
  });
});

describe('commands to copy', () => {
  it('name the object as kubectl wants it', () => {
    expect(kubectlKind('v1', 'Pod')).toBe('pod');
    expect(kubectlKind('apps/v1', 'Deployment')).toBe('deployment');
    expect(kubectlKind('kyverno.io/v2', 'PolicyException')).toBe('policyexception.kyverno.io');
  });

  it('are one command whatever a name contains', () => {
    const object = { apiVersion: 'v1', kind: 'Pod', namespace: 'a', name: "x'; rm -rf /" };
    expect(renderKubectl(object)).toBe("kubectl describe --namespace=a 'pod/x'\\''; rm -rf /'");
    expect(renderImageCommand('--help')).toBe('supercargo image -- --help');
    expect(renderImageCommand('a$(b)')).toBe("supercargo image 'a$(b)'");
    expect(renderImageCommand('=ls')).toBe("supercargo image '=ls'");
  });

  it('take no kind for an option: a report may be about anything', () => {
    const resource = { apiVersion: 'v1', kind: '--server=https://evil.example', name: 'x' };
    expect(rowCommands.result({ resource })).toBe('kubectl describe -- --server=https://evil.example/x');
    const inNamespace = { ...resource, apiVersion: '-x/v1', kind: '-o', namespace: '-a' };
    expect(rowCommands.result({ resource: inNamespace })).toBe('kubectl describe --namespace=-a -- -o.-x/x');
  });

  it('have no characters that a terminal obeys', () => {
    const resource = {
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'a\u001b[201~',
      name: 'x\u0003\nrm -rf /\r\u202e\u009b',
    };
    expect(rowCommands.result({ resource })).toBe(
      "kubectl describe '--namespace=a⟨U+001B⟩[201~' 'pod/x⟨U+0003⟩⟨U+000A⟩rm -rf /⟨U+000D⟩⟨U+202E⟩⟨U+009B⟩'",
    );
    expect(renderImageCommand('\u0015x\t')).toBe("supercargo image '⟨U+0015⟩x⟨U+0009⟩'");
  });
});

describe('CSV', () => {
  it('quotes what needs it', () => {
    expect(
      renderCsv(
        ['a', 'b'],
        [
          ['x,"y"', 1],
          [undefined, 'two\nlines'],
        ],
      ),
    ).toBe('a,b\r\n"x,""y""",1\r\n,"two\nlines"\r\n');
  });

  it('makes no formula of a name', () => {
    expect(renderCsv(['a'], [['=cmd()'], ['@x'], ['-1']])).toBe("a\r\n'=cmd()\r\n'@x\r\n'-1\r\n");
  });
});

describe('keys', () => {
  const press = (key: string, typing = false, ctrlKey = false) => ({
    key,
    ctrlKey,
    metaKey: false,
    altKey: false,
    typing,
  });

  it('act unless a person is typing or holds a modifier', () => {
    const shortcut = createShortcuts();
    expect(shortcut(press('/'))).toEqual({ kind: 'search' });
    expect(shortcut(press('j', true))).toBeUndefined();
    expect(shortcut(press('Escape', true))).toEqual({ kind: 'close' });
    expect(shortcut(press('c', false, true))).toBeUndefined();
    expect(shortcut(press('toString'))).toBeUndefined();
  });

  it('lead to a view after g', () => {
    const shortcut = createShortcuts();
    expect([press('g'), press('j'), press('j')].map(shortcut)).toEqual([
      undefined,
      { kind: 'go', view: 'jobs' },
      { kind: 'next' },
    ]);
  });
});

describe('bars', () => {
  it('show every part that is not zero and fill the whole bar', () => {
    const segments = stackSegments([9064, 0, 1], 300, 3);
    expect(segments.map(({ width }) => width)).toEqual([297, 0, 3]);
    expect(segments[2]!.x).toBe(297);
    expect(stackSegments([0, 0], 300, 3)).toEqual([
      { x: 0, width: 0 },
      { x: 0, width: 0 },
    ]);
  });

  it('count per span of time', () => {
    expect(histogram([100, 99, 71, 5, Number.NaN, 500], 100, 10, 3)).toEqual([1, 0, 2]);
  });
});

describe('images', () => {
  it('are split at the last slash, the tag and the digest', () => {
    expect(splitImage('localhost:5000/a/web:1.2@sha256:ab')).toEqual({
      prefix: 'localhost:5000/a/',
      name: 'web',
      tag: '1.2',
      digest: 'sha256:ab',
    });
    expect(splitImage('web')).toEqual({ prefix: '', name: 'web' });
    expect(shortDigest(`sha256:${'ab'.repeat(32)}`)).toBe('abababababab');
  });

  it('link to commits of hosts that are known, and to nothing else', () => {
    expect(commitUrl('git@github.com:example/m.git', 'abcdef1')).toBe('https://github.com/example/m/commit/abcdef1');
    expect(commitUrl('https://gitlab.com/a/b/c', 'abcdef1')).toBe('https://gitlab.com/a/b/c/-/commit/abcdef1');
    for (const url of ['https://github.com.evil.example/a/b', 'javascript:alert(1)//github.com/a/b', undefined])
      expect(commitUrl(url, 'abcdef1')).toBeUndefined();
    expect(commitUrl('https://github.com/a/b', '../x')).toBeUndefined();
  });
});

describe('explanations', () => {
  it('are asked for by what a link has', () => {
    const resource = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'a~b', name: 'c/d' };
    const query = explainQuery(renderExplainParam({ policy: 'p q', rule: 'r', resource }));
    expect(Object.fromEntries(query!)).toEqual({ policy: 'p q', rule: 'r', ...resource });
    expect([explainQuery('a~b'), explainQuery('%~~~~~')]).toEqual([undefined, undefined]);
  });

  it('open at what decided against the object', () => {
    const leaf = { label: '', status: 'fail', children: [] } as const;
    expect(opensAtFirst({ label: '', status: 'info', children: [leaf] }, 5)).toBe(true);
    expect(opensAtFirst({ label: '', status: 'pass', children: [] }, 5)).toBe(false);
  });
});

describe('what happened', () => {
  it('takes one row for what follows itself, with the newest message', () => {
    const event = (message: string, reason: string) => ({ kind: 'event', at: '', message, reason }) as const;
    const items = [event('c', 'Failed'), event('b', 'Failed'), event('a', 'Pulled'), event('z', 'Failed')];
    expect(groupActivity(items).map(({ newest, count }) => [newest.message, count])).toEqual([
      ['c', 2],
      ['a', 1],
      ['z', 1],
    ]);
  });
});

it('leaves out the name in a message that stands beside it, and no other one', () => {
  expect(afterName('a.example/b:1 does not exist', 'a.example/b:1')).toBe('does not exist');
  expect(afterName('a.example/b:10 does not exist', 'a.example/b:1')).toBe('a.example/b:10 does not exist');
});

it('names the place of a copy without the path that it shares with its source', () => {
  const image = 'ghcr.io/team/web:1';
  expect(withoutName('to backup.example/ghcr.io/team/web:1', image)).toBe('to backup.example/ghcr.io');
  expect(withoutName('to backup.example/web:1', image)).toBe('to backup.example');
  expect(withoutName('to backup.example/web:2', image)).toBe('to backup.example/web:2');
  expect(withoutName('web:1', image)).toBe('web:1');
});
