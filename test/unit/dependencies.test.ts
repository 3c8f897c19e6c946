import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { repositoryRoot } from '../support/paths.ts';
import { violationsOf } from './dependencyRules.ts';
import { importsOf } from './imports.ts';

function sources(folder: string): readonly string[] {
  const directory = join(repositoryRoot, folder);
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name))
    .map(name => `${folder}/${name.split(sep).join('/')}`);
}

describe('dependencies', () => {
  it('follow the table of the design', () => {
    const files = [...sources('src'), ...sources('webview-ui')];
    assert.ok(files.includes('src/core/base/files.ts'));
    assert.deepEqual(files.flatMap(file => violationsOf(file, readFileSync(join(repositoryRoot, file), 'utf8'))), []);
  });

  const planted: readonly (readonly [file: string, source: string])[] = [
    ['src/core/rewind/plan.ts', "import * as vscode from 'vscode';"],
    ['src/core/rewind/plan.ts', "import type { Uri } from 'vscode';"],
    ['src/core/base/ids.ts', "import { Lock } from '../journal/lock.ts';"],
    ['src/core/base/ids.ts', "export { Lock } from '../journal/lock.ts';"],
    ['src/core/base/ids.ts', "export * from '../journal/lock.ts';"],
    ['src/core/timeline/fold.ts', "import type { Plan } from '../rewind/plan.ts';"],
    ['src/core/capture/recorder.ts', "import { restore } from '../rewind/restore.ts';"],
    ['src/core/capture/recorder.ts', "import { type Plan, restore } from '../rewind/restore.ts';"],
    ['src/core/capture/recorder.ts', "const load = () => import('../rewind/restore.ts');"],
    ['src/agents/claudeCode.ts', "import { runHook } from '../cli/hook.ts';"],
    ['src/tools/catalog.ts', "import * as vscode from 'vscode';"],
    ['src/tools/catalog.ts', "import { claudeCode } from '../agents/claudeCode.ts';"],
    ['src/api/apiClient.ts', "import type { Uri } from 'vscode';"],
    ['src/tools/turns.ts', "import { ApiClient } from '../api/apiClient.ts';"],
    ['src/agents/claudeCode.ts', "import { tools } from '../tools/catalog.ts';"],
    ['src/cli/look.ts', "import {\n  show,\n} from '../editor/tree.ts';"],
    ['src/cli/look.ts', "import { readFileSync } from 'node:fs';"],
    ['src/cli/look.ts', "import { readFile } from 'fs/promises';"],
    ['src/cli/look.ts', "const fs = process.getBuiltinModule('node:fs');"],
    ['src/core/rewind/plan.ts', "import * as z from 'zod/mini';"],
    ['src/protocol.ts', "import * as z from 'zod';"],
    ['webview-ui/main.ts', "import { sha256 } from '../src/core/base/digest.ts';"],
    ['src/somewhere/else.ts', ''],
  ];
  for (const [file, source] of planted) it(`fail for ${JSON.stringify(source)} in ${file}`, () => assert.equal(violationsOf(file, source).length, 1));

  const fine: readonly (readonly [file: string, source: string])[] = [
    ['src/core/capture/recorder.ts', "import type { Plan } from '../rewind/plan.ts';"],
    ['src/core/capture/recorder.ts', "import { type Plan } from '../rewind/plan.ts';"],
    ['src/core/rewind/plan.ts', "// import * as vscode from 'vscode';\n/* import 'vscode'; */"],
    ['src/editor/tree.ts', "import * as vscode from 'vscode';"],
  ];
  for (const [file, source] of fine) it(`allow ${JSON.stringify(source)} in ${file}`, () => assert.deepEqual(violationsOf(file, source), []));

  it('are found in every form', () => {
    const source = "import a from './a';\nimport './b';\nimport type { C } from './c';\nexport type { D } from './d';\ntype E = typeof import('./e');\nconst f = await import('./f');";
    assert.deepEqual(
      importsOf(source).map(({ specifier, typeOnly }) => `${specifier}${typeOnly ? ' type' : ''}`).sort(),
      ['./a', './b', './c type', './d type', './e type', './f'],
    );
  });
});
