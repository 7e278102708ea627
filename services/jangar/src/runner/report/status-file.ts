import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Outcome } from '../../run-contract/outcome.ts'
import type { CollectedArtifact, RunResult } from '../../run-contract/run-result.ts'

export type RunPhase = 'Preparing' | 'Running' | 'Collecting' | 'Publishing' | 'Finished'

/** `status.json`. Always a whole document: it is replaced, never written to. */
export interface RunStatus
  extends Partial<Omit<RunResult, 'outcome' | 'message' | 'artifacts' | 'missingArtifacts'>> {
  readonly schemaVersion: 1
  readonly provider: string
  readonly binary?: string
  readonly phase: RunPhase
  readonly status: 'running' | Outcome
  readonly startedAt: string
  /** Why it did not succeed. */
  readonly error?: string
  readonly artifacts: {
    readonly statusPath: string
    readonly logPath: string
    readonly outputArtifacts: readonly CollectedArtifact[]
    readonly missing: readonly string[]
  }
}

export async function writeStatusFile(path: string, status: RunStatus): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`
  await mkdir(dirname(path), { recursive: true })
  try {
    // The program knows the name: a pipe there would be waited for, a link would be written through.
    await rm(draft, { recursive: true, force: true })
    const content = `${JSON.stringify(status, null, 2)}\n`
    await writeFile(draft, content, { flag: 'wx', mode: 0o644 })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}
