import { type Source, type Step, stepDone, stepWaits } from '@agents/controller'
import type { KubeObject } from '@agents/kube'

/** What controllers ask before they let go of a finished run. */
export interface RunArchive<Run extends KubeObject> {
  /** Whether the archive has the run as it is, or does not keep such runs. If not, it is stored soon. */
  has(run: Run): boolean
  /** Requeues runs that were missing when they are stored. */
  readonly stored: Source
}

/** A stored run is an event. Asking again also repeats a write that failed. */
const recheckMs = 15_000

export const waitsForArchive = stepWaits('waiting until the archive has the run', recheckMs)

/** Keeps a finished run until the archive has it, whoever deletes it. */
export function archivedFirst<Run extends KubeObject>(
  archive: RunArchive<Run> | undefined,
): Step<Run>[] {
  if (archive === undefined) return []
  return [
    { name: 'archive the run', run: (run) => (archive.has(run) ? stepDone : waitsForArchive) },
  ]
}
