/** One way in which a module names another. */
export interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
}

const patterns: readonly RegExp[] = [
  /\b(?<head>(?:import|export)\b[^'"`;]*?)\bfrom\s*['"](?<specifier>[^'"]+)['"]/g,
  /\b(?<head>import)\s*['"](?<specifier>[^'"]+)['"]/g,
  /(?<head>\btypeof\s+)?\bimport\s*\(\s*['"](?<specifier>[^'"]+)['"]/g,
  /\b(?<head>require|getBuiltinModule)\s*\(\s*['"](?<specifier>[^'"]+)['"]/g,
];

/** Every import, export from, `import()` and `require` in a source text, those of types too; comments left out. */
export function importsOf(source: string): readonly Import[] {
  const text = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return patterns.flatMap(pattern => [...text.matchAll(pattern)].map(match => ({ specifier: match.groups?.['specifier'] ?? '', typeOnly: isTypeOnly(match.groups?.['head'] ?? '') })));
}

function isTypeOnly(head: string): boolean {
  if (/^(import|export)\s+type\b|^typeof/.test(head)) return true;
  const names = /\{([^}]*)\}/.exec(head)?.[1];
  // A default or namespace import beside the braces is a value.
  if (names === undefined || !/^(import|export)\s*\{/.test(head)) return false;
  return names.split(',').map(name => name.trim()).filter(name => name !== '').every(name => name.startsWith('type '));
}
