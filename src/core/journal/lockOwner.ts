import type { ProcessIdentity } from '../base/processes.ts';
import { countAt, isShape, textAt } from '../base/shape.ts';

/** What a lock says about whoever holds it. */
export interface Owner extends ProcessIdentity {
  readonly token: string;
}

/** Whoever a lock belongs to. */
export interface Holder {
  readonly token: string;
  /** Undefined for a lock that says nothing: a power failure can leave a file's name and take its bytes. */
  readonly owner: Owner | undefined;
  readonly gone: boolean;
}

function readOwner(value: unknown): Owner | undefined {
  if (!isShape(value)) return undefined;
  const [token, host, boot, pid, started] = [textAt(value, 'token'), textAt(value, 'host'), textAt(value, 'boot'), countAt(value, 'pid'), textAt(value, 'started')];
  if (token === undefined || host === undefined || boot === undefined || pid === undefined || started === undefined) return undefined;
  return { token, host, boot, pid, started };
}

/** The owner that a lock's bytes name; undefined where they name none. */
export function ownerIn(bytes: Uint8Array): Owner | undefined {
  try {
    return readOwner(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch {
    return undefined;
  }
}
