import type { Logger } from '@agents/log'
import { RunFailure } from '../../run-contract/run-failure.ts'
import type { RunResult } from '../../run-contract/run-result.ts'
import { type RunPhase, type RunStatus, writeStatusFile } from './status-file.ts'

export interface Reporter {
  /** The first report must succeed; later ones must not fail a successful run. */
  begin(): Promise<void>
  phase(phase: RunPhase): Promise<void>
  finish(result: RunResult): Promise<void>
}

interface ReporterOptions {
  /** Where the status file really is. */
  readonly path: string
  readonly first: Omit<RunStatus, 'phase' | 'status'>
  readonly log: Logger
}

export function createReporter({ path, first, log }: ReporterOptions): Reporter {
  const attempt = async (status: RunStatus) => {
    try {
      await writeStatusFile(path, status)
    } catch (error) {
      log.warn('cannot write the status file', { error })
    }
  }
  return {
    async begin() {
      try {
        await writeStatusFile(path, { ...first, phase: 'Preparing', status: 'running' })
      } catch (cause) {
        throw unwritable(first.artifacts.statusPath, cause)
      }
    },
    phase: (phase) => attempt({ ...first, phase, status: 'running' }),
    finish(result) {
      const { outcome, message, artifacts, missingArtifacts, ...rest } = result
      return attempt({
        ...first,
        ...rest,
        phase: 'Finished',
        status: outcome,
        ...(outcome !== 'succeeded' && { error: message }),
        artifacts: { ...first.artifacts, outputArtifacts: artifacts, missing: missingArtifacts },
      })
    },
  }
}

function unwritable(path: string, cause: unknown): RunFailure {
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
  const message = `the status file ${path} cannot be written: ${code}`
  return new RunFailure('StatusUnwritable', message, { cause })
}
