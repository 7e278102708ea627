import { readFile } from 'node:fs/promises'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'

/** Where the runner uploads and reports to, and as whom. */
export interface ControlPlane {
  readonly url: string
  /** Has the file `token`, which the cluster renews. */
  readonly folder: string
  /** Certificates in PEM that are trusted for `url`, if not those of the image. */
  readonly certificateAuthority?: string | undefined
}

interface Sent {
  readonly method: 'PUT' | 'POST'
  /** With its query. */
  readonly path: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly signal: AbortSignal
  readonly send: (request: ClientRequest) => void
}

export interface ControlPlaneAnswer {
  readonly status: number
  /** The JSON object of the answer; empty if it is another thing, as from a proxy. */
  readonly body: Readonly<Record<string, unknown>>
}

const largestAnswer = 64 * 1024

/** One request with the token of the pod. */
export async function askControlPlane(
  { url, folder, certificateAuthority }: ControlPlane,
  { method, path, contentType, sizeBytes, signal, send }: Sent,
): Promise<ControlPlaneAnswer> {
  const token = (await readFile(join(folder, 'token'), 'utf8')).trim()
  const address = new URL(path, url)
  const open = address.protocol === 'https:' ? httpsRequest : httpRequest
  const request = open(address, {
    method,
    signal,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': contentType,
      'content-length': sizeBytes,
    },
    ...(certificateAuthority !== undefined && { ca: certificateAuthority }),
  })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
  })
  send(request)
  const answer = await answered
  let text = ''
  for await (const piece of answer) {
    text += String(piece)
    if (text.length > largestAnswer) break
  }
  return { status: answer.statusCode ?? 0, body: parsed(text) }
}

/** Whether the same request may succeed later. */
export function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    // A proxy may answer in HTML.
    return {}
  }
}
