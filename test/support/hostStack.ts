import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import type { SourceMapPayload } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { repositoryRoot } from './paths.ts';

/** Points the stack of a failure in a bundled spec to the lines as they were written. */
export function unbundleStack(text: string, bundle: string): string {
  const mapFile = `${bundle}.map`;
  if (!existsSync(mapFile)) return text;
  const map = new SourceMap(JSON.parse(readFileSync(mapFile, 'utf8')) as SourceMapPayload);
  return text.replaceAll(/([^\s(]+):(\d+):(\d+)/g, (place, file: string, line: string, column: string) => {
    if (file !== bundle) return place;
    const found = map.findOrigin(Number(line), Number(column));
    if (!('fileName' in found)) return place;
    const source = resolve(dirname(bundle), found.fileName);
    return `${relative(repositoryRoot, source)}:${found.lineNumber}:${found.columnNumber}`;
  });
}
