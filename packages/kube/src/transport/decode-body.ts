import { parseJson } from '../json/parse-json.ts'
import { badAnswerReason, KubeError } from './kube-error.ts'

interface Request {
  readonly method?: string
  readonly path: string
}

interface Answer {
  readonly code: number
  readonly bytes: Buffer
}

/** Parses the response as JSON. Returns undefined for an empty body. */
export function decodeBody(request: Request, answer: Answer): unknown {
  if (answer.bytes.length === 0) return undefined
  return decodeWith(request, answer, (bytes) => parseJson(bytes.toString('utf8')))
}

/** Decodes the response. Throws a KubeError if that fails. */
export function decodeWith(
  { method = 'GET', path }: Request,
  { code, bytes }: Answer,
  decode: (bytes: Buffer) => unknown,
): unknown {
  try {
    return decode(bytes)
  } catch (cause) {
    throw new KubeError(`${method} ${path.split('?', 1)[0]}: the response cannot be decoded`, {
      code,
      reason: badAnswerReason,
      cause,
    })
  }
}
