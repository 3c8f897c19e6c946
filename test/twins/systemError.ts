/** An error as Node makes it for a refused system call: code and message are what the core looks at. */
export function systemError(code: string, method: string, path: string): NodeJS.ErrnoException {
  // Most of these are expected and caught at once, and a stack costs more than all the rest of the call.
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  const error = Object.assign(new Error(`${code}: ${method} '${path}'`), { code });
  Error.stackTraceLimit = limit;
  return error;
}
