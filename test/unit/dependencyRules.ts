import { dirname, posix } from 'node:path';
import { importsOf, type Import } from './imports.ts';

/** The parts of design.md §2's table, by the files that belong to each; the first that matches counts. */
const parts: readonly (readonly [part: string, files: RegExp])[] = [
  ['base', /^src\/core\/base\//],
  ['journal', /^src\/core\/journal\//],
  ['snapshot', /^src\/core\/snapshot\//],
  ['timeline', /^src\/core\/timeline\//],
  ['capture', /^src\/core\/capture\//],
  ['rewind', /^src\/core\/rewind\//],
  ['conversation', /^src\/core\/conversation\//],
  ['retention', /^src\/core\/retention\//],
  ['agents', /^src\/agents\//],
  ['tools', /^src\/tools\//],
  ['api', /^src\/api\//],
  ['cli', /^src\/(cli\/|cli\.ts$|(commands|mcp)\.[jt]s$)/],
  ['editor', /^src\/editor\//],
  ['looker', /^src\/(looker|lookMessages)\.ts$/],
  ['protocol', /^src\/protocol\.ts$/],
  ['root', /^src\/extension\.ts$/],
  ['webview', /^webview-ui\//],
];

const core = ['base', 'journal', 'snapshot', 'timeline', 'capture', 'rewind', 'conversation', 'retention'];
const late = ['capture', 'rewind', 'conversation', 'retention'];
const ground = ['base', 'journal', 'snapshot', 'timeline'];

/** What each part may import besides itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  base: [],
  journal: ['base'],
  snapshot: ['base'],
  timeline: ['base', 'journal', 'snapshot'],
  capture: ground,
  rewind: ground,
  conversation: ground,
  retention: ground,
  agents: core,
  tools: core,
  api: [...core, 'tools'],
  cli: [...core, 'agents', 'tools'],
  editor: [...core, 'agents', 'tools', 'api', 'looker', 'protocol'],
  looker: core,
  protocol: [],
  root: [...core, 'agents', 'tools', 'api', 'editor', 'looker', 'protocol'],
  webview: ['protocol'],
};

/** Only where stored or foreign bytes enter: records, payloads, settings, messages, what models and other extensions send, what other editors say. */
const zodFiles: ReadonlySet<string> = new Set([
  'src/core/snapshot/stateSchema.ts',
  'src/core/timeline/records.ts',
  'src/core/rewind/unsavedFiles.ts',
  'src/tools/toolInputs.ts',
  'src/api/apiInputs.ts',
  'src/protocol.ts',
]);

function partOf(file: string): string | undefined {
  return parts.find(([, files]) => files.test(file))?.[0];
}

function judge(file: string, part: string, { specifier, typeOnly }: Import): string | undefined {
  if (specifier === 'vscode') return part === 'editor' || part === 'root' ? undefined : 'only the editor side may know vscode';
  if (/^(node:)?fs(\/.*)?$/.test(specifier)) return file === 'src/core/base/files.ts' ? undefined : 'the disk has one door, core/base/files.ts';
  if (/^zod(\/.*)?$/.test(specifier)) {
    if (specifier !== 'zod/mini') return 'zod is used as zod/mini';
    return typeOnly || zodFiles.has(file) ? undefined : 'no foreign bytes enter here';
  }
  if (!specifier.startsWith('.')) return part === 'webview' && /^node:/.test(specifier) ? 'there is no Node in a webview' : undefined;
  const target = posix.join(dirname(file), specifier);
  const other = partOf(target);
  if (other === undefined) return `${target} belongs to no part`;
  if (other === part || allowed[part]?.includes(other) === true) return undefined;
  if (late.includes(part) && late.includes(other) && typeOnly) return undefined;
  return `${part} may not import ${other}${late.includes(part) && late.includes(other) ? ' but for its types' : ''}`;
}

/** What a source file imports against the rules, a sentence for each. */
export function violationsOf(file: string, source: string): readonly string[] {
  const part = partOf(file);
  if (part === undefined) return [`${file} belongs to no part`];
  return importsOf(source).flatMap(named => {
    const reason = judge(file, part, named);
    return reason === undefined ? [] : [`${file} imports ${named.specifier}: ${reason}`];
  });
}
