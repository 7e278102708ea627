import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type UploadQuery, uploadPath } from '../../run-contract/upload-query.ts'
import { contentOf } from './content-of.ts'
import {
  askControlPlane,
  type ControlPlane,
  type ControlPlaneAnswer,
  isTemporary,
} from './control-plane.ts'

type Described = Pick<UploadQuery, 'type' | 'name' | 'contentType'>

/** Uploads an open file; resolves to the name of its Artifact. Fails with a message for the log. */
export type Uploader = (file: number, what: Described, signal: AbortSignal) => Promise<string>

const tries = 6
const firstPauseMs = 500

/** Uploads files, again and again while the control plane does not answer. */
export function createUploader(target: ControlPlane, pauseMs = firstPauseMs): Uploader {
  return async (file, what, signal) => {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await tryUpload(target, file, what, signal)
      if (outcome.kind === 'done') return outcome.artifact
      if (outcome.kind === 'refused' || attempt === tries || signal.aborted) {
        throw new Error(outcome.message)
      }
      await sleep(pauseMs * 2 ** (attempt - 1) * (0.5 + Math.random()), undefined, {
        signal,
      }).catch(() => undefined)
    }
  }
}

type Outcome =
  | { readonly kind: 'done'; readonly artifact: string }
  | { readonly kind: 'refused' | 'failed'; readonly message: string }

async function tryUpload(
  target: ControlPlane,
  file: number,
  what: Described,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const content = await contentOf(file)
    const { sizeBytes, sha256 } = content
    const query = new URLSearchParams({ ...what, sha256, sizeBytes: String(sizeBytes) })
    return outcomeOf(
      await askControlPlane(target, {
        method: 'PUT',
        path: `${uploadPath}?${query}`,
        contentType: 'application/octet-stream',
        sizeBytes,
        signal,
        // The server may refuse before it has read everything.
        send: (request) =>
          void pipeline(Readable.from(content.stream()), request).catch(() => undefined),
      }),
    )
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { kind: 'failed', message: code ?? message }
  }
}

function outcomeOf({ status, body }: ControlPlaneAnswer): Outcome {
  if (status === 200 && typeof body.artifact === 'string') {
    return { kind: 'done', artifact: body.artifact }
  }
  const message = `status ${status}: ${typeof body.error === 'string' ? body.error : 'no reason'}`
  return { kind: isTemporary(status) ? 'failed' : 'refused', message }
}
