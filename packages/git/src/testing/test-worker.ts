import { createLogger } from '@agents/log'
import { BranchWorker, type BranchWorkerOptions } from '../branch-worker/branch-worker.ts'
import type { ChangeSet, FileChange } from '../branch-worker/change-set.ts'

export const committer = { name: 'mirror', email: 'mirror@example.test' }

/** A worker that does not wait long, and its log. */
export function testWorker(
  options: Pick<BranchWorkerOptions, 'connection' | 'directory'> & Partial<BranchWorkerOptions>,
): { worker: BranchWorker; log: string[] } {
  const log: string[] = []
  const worker = new BranchWorker({
    branch: 'main',
    committer,
    log: createLogger({ level: 'debug', sink: { write: (line) => log.push(line) } }),
    backoff: { firstMs: 20, maxMs: 200, random: Math.random },
    timeouts: { networkMs: 20_000, localMs: 20_000 },
    ...options,
  })
  return { worker, log }
}

export function changeSet(
  files: Readonly<Record<string, string | null | Exclude<FileChange, Buffer | null>>>,
  owner = 'target',
): ChangeSet {
  return {
    owner,
    changes: new Map(
      Object.entries(files).map(([path, content]) => [
        path,
        typeof content === 'string' ? Buffer.from(content) : content,
      ]),
    ),
    message: (changed) => `${owner}: ${changed.join(' ')}`,
  }
}
