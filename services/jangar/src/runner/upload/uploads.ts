import type { Logger } from '@agents/log'
import {
  logArtifact,
  refusedArtifact,
  transcriptArtifact,
} from '../../run-contract/upload-query.ts'
import type { Stop } from '../process/stop.ts'
import { withFile } from './content-of.ts'
import type { KeptLog } from './kept-log.ts'
import { openNamelessFile } from './nameless-file.ts'
import type { Uploader } from './uploader.ts'

/** Uploads of a run. None of them fails it. */
export interface Uploads {
  /** The name of the Artifact; undefined if the file was not uploaded. */
  file(name: string, path: string): Promise<string | undefined>
  log(kept: KeptLog): Promise<void>
  /** Changes that may not be pushed. Resolves to the name of the Artifact, if they were uploaded. */
  refused(patch: Uint8Array, folder: string): Promise<string | undefined>
  /** `file` is undefined if the transcript could not be written. */
  transcript(file: number | undefined): Promise<void>
}

/** The upload of one file takes at most this long. */
const longestUploadMs = 10 * 60_000
/** After a stop, the pod is killed soon. */
const longestAfterStopMs = 10_000

export function createUploads(upload: Uploader, log: Logger, stop: Stop): Uploads {
  const limit = (): AbortSignal =>
    AbortSignal.timeout(stop.signal.aborted ? longestAfterStopMs : longestUploadMs)
  const keep = async (
    file: number | undefined,
    name: string,
    { contentType, ...what }: Parameters<Uploader>[1],
  ): Promise<string | undefined> => {
    if (file === undefined) {
      log.warn(`${name} not uploaded: its copy could not be written`)
      return undefined
    }
    try {
      return await upload(file, { ...what, contentType: `${contentType}; charset=utf-8` }, limit())
    } catch (error) {
      log.warn(`${name} not uploaded`, { reason: (error as Error).message })
      return undefined
    }
  }
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
      const what = { type: 'log', name: logArtifact, contentType: 'text/plain' } as const
      await keep(kept.descriptor(), 'log', what)
    },
    refused: async (patch, folder) => {
      const file = openNamelessFile(folder)
      try {
        file.append(patch)
        const what = { type: 'file', name: refusedArtifact, contentType: 'text/x-diff' } as const
        return await keep(file.descriptor(), 'refused work', what)
      } finally {
        file.close()
      }
    },
    transcript: async (file) => {
      const what = { type: 'file', name: transcriptArtifact, contentType: 'text/markdown' } as const
      await keep(file, 'transcript', what)
    },
  }
}
