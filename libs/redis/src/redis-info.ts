/** The value of a field in a reply of `INFO`; undefined when this version of Redis does not report it. */
export function infoField(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

/** Replicas that have copied all data and follow the master, in a reply of `INFO replication`. */
export function onlineReplicas(replication: string): number {
  return replication.match(/^slave\d+:.*\bstate=online\b/gm)?.length ?? 0;
}
