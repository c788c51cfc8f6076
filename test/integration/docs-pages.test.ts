/** The commands of the documentation, run in the order of their page. docs/install.md has a test of its own. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/base/index.ts';
import { codeBlocksOf, inlineCommandsOf, linesOf } from '../support/code-blocks.ts';
import { helmPath, kubectlPath } from '../support/kubectl.ts';
import { findOnPath } from '../support/search-path.ts';
import { missingOf } from '../support/skip.ts';
import { eventually } from '../support/wait.ts';
import { expected } from './docs-pages/expected.ts';
import { type PageFolder, root, type Site, startSite } from './docs-pages/site.ts';

const pages = ['README.md', ...readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`)].filter(
  (page) => page.endsWith('.md') && page !== 'docs/install.md',
);
const blocks = pages.flatMap(codeBlocksOf);
const withCommands = pages.filter((page) => blocks.some((one) => one.page === page && linesOf(one).length > 0));
const [helm, kubectl, bash] = await Promise.all([helmPath(), kubectlPath(), findOnPath('bash')]);
const missing = missingOf('the commands of the documentation', { helm, kubectl, bash });

/** Usage shows alternatives and optional parts. */
const isUsage = (line: string) => /…|\[(?:-|[A-Z])/.test(line);

it('each command of a page is in a block that is run', () => {
  const others = blocks.filter(({ language }) => language !== 'sh' && language !== 'console');
  const commands = others.flatMap(({ page, line, text }) =>
    text.split('\n').flatMap((each, i) => {
      const isCommand = /^\s*(?:\$ |(?:bin\/)?supercargo |(?:kubectl|helm|npm|npx|docker|git) )/.test(each);
      return isCommand && !isUsage(each) ? [`${page}:${line + i}: ${each}`] : [];
    }),
  );
  expect(commands).toEqual([]);
});

it('what is expected of a command is about one of its page, and few are not run', () => {
  const all = blocks.flatMap((block) => linesOf(block).map(({ command }) => `${block.page}: ${command}`));
  const named = Object.entries(expected).flatMap(([page, lines]) =>
    Object.keys(lines).map((line) => `${page}: ${line}`),
  );
  const recipes = 'docs/ci.md: npm install --global ./tools/supercargo-0.1.0.tgz';
  expect(named.filter((one) => !all.includes(one) && one !== recipes)).toEqual([]);
  const elsewhere = Object.values(expected).flatMap((lines) =>
    Object.entries(lines).flatMap(([line, { sameAs }]) => (sameAs === undefined ? [] : [`${sameAs}: ${line}`])),
  );
  const ofInstalling = codeBlocksOf('docs/install.md').flatMap(linesOf);
  expect(ofInstalling.map(({ command }) => `docs/install.md: ${command}`)).toEqual(expect.arrayContaining(elsewhere));
  const notRun = Object.values(expected).flatMap((lines) => Object.values(lines).filter((line) => line.notRun));
  expect(notRun.length).toBeLessThan(10);
});

describe.skipIf(missing !== undefined)('the commands of', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ helm: helm!, kubectl: kubectl!, bash: bash! });
  });
  afterAll(() => site?.stop());

  it.concurrent.each(withCommands)('%s', async (page) => {
    const folder = await site.folderFor(page);
    for (const block of blocks.filter((one) => one.page === page)) {
      const lines = linesOf(block);
      // With a cluster of its own it needs no other.
      const shell = folder.shell(lines.some(({ command }) => /supercargo up .*&$/.test(command)));
      const background: { interrupt(): Promise<{ readonly code: number | null; readonly output: string }> }[] = [];
      try {
        for (const { where, command, printed } of lines) {
          const { code = 0, shows, until, notRun, sameAs } = expected[page]?.[command] ?? {};
          if (notRun !== undefined || sameAs !== undefined) continue;
          const local = site.localize(command);
          if (local.endsWith('&')) background.push(shell.start(local.slice(0, -1)));
          else if (until !== undefined) {
            const started = shell.start(local);
            await started.shown(until);
            expect(await started.interrupt(), where).toMatchObject({ code });
          } else {
            const once = async () => {
              const ended = await shell.run(local);
              const output = site.generalize(ended.output);
              expect({ code: ended.code, output }, `${where}: ${command}`).toMatchObject({ code });
              if (shows !== undefined) expect(output, `${where}: ${command}`).toMatch(shows);
              if (printed !== undefined && printed.trim() !== '') expectPrinted(output, printed, where);
            };
            // What is reported appears a moment after it is true.
            await (/\b(?:report|polr|cpolr)\b/.test(command) ? eventually(once, { intervalMs: 500 }) : once());
          }
        }
        for (const one of background) expect(await one.interrupt(), page).toMatchObject({ code: 0 });
      } finally {
        shell.close();
      }
    }
  });

  it.concurrent('sentences and tables that read a cluster', async () => {
    const commands = pages
      .flatMap(inlineCommandsOf)
      .filter(({ command }) => /^kubectl (?:get|describe|explain) \S/.test(command));
    expect(commands.length).toBeGreaterThan(8);
    const shell = (await site.folderFor('sentences')).shell(false);
    for (const { where, command } of commands) expect(await shell.run(command), where).toMatchObject({ code: 0 });
  });

  describe('the recipes of docs/ci.md', () => {
    const recipes = codeBlocksOf('docs/ci.md')
      .filter(({ language }) => language === 'yaml')
      .map(({ text }) => parseYaml(text) as Recipe);
    const scripts = recipes.map(({ jobs, policies }) =>
      (policies?.script ?? jobs!.policies.steps.map(({ run }) => run)).filter((line) => line !== undefined),
    );
    const runRecipe = async (script: readonly string[], isBroken = false) => {
      const folder = await site.folderFor('docs/ci.md');
      if (isBroken) {
        change(folder, 'manifests/web.yaml', 'owner: team-a', 'team: team-a');
        change(folder, 'policies/require-owner.yaml', 'Audit', 'Enforce');
        // Its own test is of what the policy says, not of what is deployed.
        change(folder, 'policies/tests/kyverno-test.yaml', 'result: pass', 'result: fail');
      }
      const shell = folder.shell(true);
      for (const command of script) {
        if (expected['docs/ci.md']?.[command]?.notRun !== undefined) continue;
        const { code, output } = await shell.run(command);
        if (code !== 0) return { folder, failed: command, code, output };
      }
      return { folder, failed: undefined, code: 0 };
    };
    const change = (folder: PageFolder, name: string, from: string, to: string) => {
      const file = path.join(folder.path, name);
      writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
    };

    it('are one for GitHub and one for GitLab, each with a step that tests and one that applies', () => {
      expect(scripts.map((script) => script.length)).toEqual([3, 3]);
    });

    it.concurrent.each([0, 1])('%i passes what is right', async (i) => {
      const { folder, ...ended } = await runRecipe(scripts[i]!);
      expect(ended).toEqual({ failed: undefined, code: 0 });
      const summary = path.join(folder.path, '../summary.md');
      if (existsSync(summary)) expect(readFileSync(summary, 'utf8')).toContain('1 passed, 0 failed');
    });

    it.concurrent.each([
      [0, 'supercargo.sarif', /"level":"error"/],
      [1, 'policies.xml', /<failure [^>]*the label owner is missing/],
    ] as const)('%i fails what breaks a policy, and keeps the findings', async (i, file, finding) => {
      const { folder, failed, code } = await runRecipe(scripts[i]!, true);
      expect({ failed, code }).toEqual({ failed: expect.stringContaining('supercargo apply'), code: 1 });
      expect(readFileSync(path.join(folder.path, file), 'utf8')).toMatch(finding);
    });
  });
});

interface Recipe {
  readonly jobs?: { readonly policies: { readonly steps: readonly { readonly run?: string }[] } };
  readonly policies?: { readonly script: readonly string[] };
}

/** Compares with what the page shows: ages and the width of columns are free, and … is anything. */
function expectPrinted(output: string, printed: string, where: string): void {
  const normal = (text: string) =>
    text
      .trim()
      .replaceAll(/[ \t]+/g, ' ')
      .replaceAll(/ (?:\d+[smhd])+$/gm, ' AGE');
  const pattern = normal(printed)
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[\\s\\S]*');
  expect(normal(output), where).toMatch(new RegExp(`^${pattern}$`));
}
