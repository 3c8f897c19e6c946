import * as vscode from 'vscode';
import type { State } from '../core/snapshot/state.ts';
import { blobScheme } from './ids.ts';

/** What a `turnstone:` address asks for. */
export type BlobAddress =
  | { readonly kind: 'content'; readonly root: string; readonly hash: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'report'; readonly root: string; readonly operation: string };

function withQuery(file: vscode.Uri, query: Readonly<Record<string, string>>): vscode.Uri {
  return file.with({ scheme: blobScheme, query: new URLSearchParams(query).toString() });
}

/**
 * The address of what a file was. The path stays the file's own, on both sides of a diff, because else VS
 * Code takes the change for a renaming; the query names the content. Undefined for what has no bytes.
 */
export function blobUri(file: vscode.Uri, root: string, state: State): vscode.Uri | undefined {
  switch (state.kind) {
    case 'content':
      return withQuery(file, { root, hash: state.hash });
    case 'absent':
      return withQuery(file, { empty: '' });
    case 'link':
      return withQuery(file, { link: state.target });
    default:
      return undefined;
  }
}

export function reportUri(root: string, operation: string, title: string): vscode.Uri {
  const name = title.replace(/[\\/:*?"<>|\n\r]+/g, ' ').trim();
  return vscode.Uri.from({ scheme: blobScheme, path: `/${name}.txt`, query: new URLSearchParams({ root, report: operation }).toString() });
}

/** Reads an address; undefined for one that is not ours. */
export function parseBlobUri(uri: vscode.Uri): BlobAddress | undefined {
  if (uri.scheme !== blobScheme) return undefined;
  const query = new URLSearchParams(uri.query);
  const root = query.get('root');
  const hash = query.get('hash');
  const link = query.get('link');
  const operation = query.get('report');
  if (query.has('empty')) return { kind: 'empty' };
  if (link !== null) return { kind: 'link', target: link };
  if (root === null) return undefined;
  if (operation !== null) return { kind: 'report', root, operation };
  return hash !== null && /^[0-9a-f]{64}$/.test(hash) ? { kind: 'content', root, hash } : undefined;
}
