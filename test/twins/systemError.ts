/** An error as Node makes it for a refused system call: code and message are what the core looks at. */
export function systemError(code: string, method: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${method} '${path}'`), { code });
}
