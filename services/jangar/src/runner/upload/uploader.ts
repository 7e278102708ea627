import { readFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type UploadQuery, uploadPath } from '../../run-contract/upload-query.ts'
import { contentOf } from './content-of.ts'

/** Where the runner uploads to, and as whom. */
export interface UploadTarget {
  readonly url: string
  /** Has the file `token`, which the cluster renews. */
  readonly folder: string
  /** Certificates in PEM that are trusted for `url`, if not those of the image. */
  readonly certificateAuthority?: string | undefined
}

type Described = Pick<UploadQuery, 'type' | 'name' | 'contentType'>

/** Uploads an open file; resolves to the name of its Artifact. Fails with a message for the log. */
export type Uploader = (file: number, what: Described, signal: AbortSignal) => Promise<string>

const tries = 6
const firstPauseMs = 500

/** Uploads files, again and again while the control plane does not answer. */
export function createUploader(target: UploadTarget, pauseMs = firstPauseMs): Uploader {
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
  { url, folder, certificateAuthority }: UploadTarget,
  file: number,
  what: Described,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const token = (await readFile(join(folder, 'token'), 'utf8')).trim()
    const content = await contentOf(file)
    const { sizeBytes, sha256 } = content
    const query = new URLSearchParams({ ...what, sha256, sizeBytes: String(sizeBytes) })
    const address = new URL(`${uploadPath}?${query}`, url)
    const send = address.protocol === 'https:' ? httpsRequest : httpRequest
    const sent = send(address, {
      method: 'PUT',
      signal,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/octet-stream',
        'content-length': sizeBytes,
      },
      ...(certificateAuthority !== undefined && { ca: certificateAuthority }),
    })
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve)
      sent.once('error', reject)
    })
    // The server may refuse before it has read everything.
    pipeline(Readable.from(content.stream()), sent).catch(() => undefined)
    return await outcomeOf(await answered)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { kind: 'failed', message: code ?? message }
  }
}

const largestAnswer = 64 * 1024

async function outcomeOf(answer: IncomingMessage): Promise<Outcome> {
  let text = ''
  for await (const piece of answer) {
    text += String(piece)
    if (text.length > largestAnswer) break
  }
  const { statusCode = 0 } = answer
  const body = parsed(text)
  if (statusCode === 200 && typeof body.artifact === 'string') {
    return { kind: 'done', artifact: body.artifact }
  }
  const message = `status ${statusCode}: ${typeof body.error === 'string' ? body.error : 'no reason'}`
  const isTemporary = statusCode === 408 || statusCode === 429 || statusCode >= 500
  return { kind: isTemporary ? 'failed' : 'refused', message }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    // A proxy may answer in HTML.
    return {}
  }
}
