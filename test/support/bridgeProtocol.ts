/** What the bridge extension writes down when its extension host is up; that file is the sign that the host is ready. */
export interface BridgeAnnouncement {
  readonly pid: number;
  readonly port: number;
  readonly token: string;
  readonly folders: readonly string[];
}

export interface BridgeAnswer {
  readonly value?: unknown;
  readonly error?: string;
}
