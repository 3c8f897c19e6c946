/** The levels of `turnstone.exclude` as the editor tells of them. */
export interface ExcludeLevels {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

function linesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(pattern => typeof pattern === 'string').flatMap(pattern => pattern.split(/\r\n|\r|\n/)) : [];
}

/** All levels together: a workspace adds to what its user excludes, and can't bring anything of that back. */
export function excludePatterns({ globalValue, workspaceValue, workspaceFolderValue }: ExcludeLevels): readonly string[] {
  const added = [...linesOf(workspaceValue), ...linesOf(workspaceFolderValue)].filter(pattern => !pattern.startsWith('!'));
  return [...new Set([...added, ...linesOf(globalValue)].reverse())].reverse().filter(pattern => pattern.trim() !== '');
}
