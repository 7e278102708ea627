import { parseJson } from '../json/parse-json.ts'
import { BAD_ANSWER, KubeError } from './kube-error.ts'

/** The answer as JSON. An empty one is undefined. */
export function decodeBody(
  { method = 'GET', path }: { method?: string; path: string },
  { code, bytes }: { code: number; bytes: Buffer },
): unknown {
  if (bytes.length === 0) return undefined
  try {
    return parseJson(bytes.toString('utf8'))
  } catch (cause) {
    throw new KubeError(`${method} ${path.split('?', 1)[0]}: the answer is no JSON`, {
      code,
      reason: BAD_ANSWER,
      cause,
    })
  }
}
