import { homedir } from 'node:os';

/** The user's home directory: the environment's, which the agents go by, and only without one the system's. */
export function userHome(environment: NodeJS.ProcessEnv): string {
  return environment['HOME'] ?? homedir();
}
