import { parseJson } from '../json/parse-json.ts'
import { badAnswerReason, KubeError } from './kube-error.ts'

/** Parses the response as JSON. Returns undefined for an empty body. */
export function decodeBody(
  { method = 'GET', path }: { method?: string; path: string },
  { code, bytes }: { code: number; bytes: Buffer },
): unknown {
  if (bytes.length === 0) return undefined
  try {
    return parseJson(bytes.toString('utf8'))
  } catch (cause) {
    throw new KubeError(`${method} ${path.split('?', 1)[0]}: the response is not JSON`, {
      code,
      reason: badAnswerReason,
      cause,
    })
  }
}
