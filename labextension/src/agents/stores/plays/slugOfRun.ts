const FILE = /^\.playbooks\/plays\/([^/]+)\.md$/;

/** The play that a run carries out. */
export function slugOfRun({ path }: { path: string | null }): string {
  return FILE.exec(path ?? '')?.[1] ?? '';
}
