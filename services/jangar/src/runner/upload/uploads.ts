import type { Logger } from '@agents/log'
import { logArtifact } from '../../run-contract/upload-query.ts'
import type { Stop } from '../process/stop.ts'
import { withFile } from './content-of.ts'
import type { KeptLog } from './kept-log.ts'
import type { Uploader } from './uploader.ts'

/** Uploads of a run. None of them fails it. */
export interface Uploads {
  /** The name of the Artifact; undefined if the file was not uploaded. */
  file(name: string, path: string): Promise<string | undefined>
  log(kept: KeptLog): Promise<void>
}

/** The upload of one file takes at most this long. */
const longestUploadMs = 10 * 60_000
/** After a stop, the pod is killed soon. */
const longestAfterStopMs = 10_000

export function createUploads(upload: Uploader, log: Logger, stop: Stop): Uploads {
  const limit = (): AbortSignal =>
    AbortSignal.timeout(stop.signal.aborted ? longestAfterStopMs : longestUploadMs)
  return {
    file: async (name, path) => {
      try {
        const what = { type: 'file', name, contentType: 'application/octet-stream' } as const
        const artifact = await withFile(path, (file) => upload(file, what, limit()))
        if (artifact === undefined) log.warn('artifact not uploaded: it is not a file', { name })
        return artifact
      } catch (error) {
        log.warn('artifact not uploaded', { name, reason: (error as Error).message })
        return undefined
      }
    },
    log: async (kept) => {
      const file = kept.descriptor()
      if (file === undefined) {
        log.warn('log not uploaded: its copy could not be written')
        return
      }
      try {
        const contentType = 'text/plain; charset=utf-8'
        await upload(file, { type: 'log', name: logArtifact, contentType }, limit())
      } catch (error) {
        log.warn('log not uploaded', { reason: (error as Error).message })
      }
    },
  }
}
