import { jsonSyntaxProblem } from '../json/json-syntax.ts'
import { badRequest } from '../status/api-error.ts'

interface ContinueToken {
  /** The revision of the list; -1 for the current one, after the original revision has expired. */
  readonly revision: number
  /** The last key that was sent, relative to the prefix of the list. */
  readonly after: string
}

export function encodeContinue({ revision, after }: ContinueToken): string {
  // The start is the first possible key after the last one sent.
  const token = { v: 'meta.k8s.io/v1', rv: revision, start: `${after}\0` }
  return Buffer.from(JSON.stringify(token)).toString('base64url')
}

/** Decodes a token. Throws a 400 with upstream's message if it is invalid. */
export function decodeContinue(text: string): ContinueToken {
  const misfit = /[^A-Za-z0-9_-]/.exec(text)
  if (misfit !== null) throw refuse(`illegal base64 data at input byte ${misfit.index}`)
  const bytes = Buffer.from(text, 'base64url')
  const json = bytes.toString('utf8')
  let token: unknown
  try {
    token = JSON.parse(json)
  } catch (cause) {
    // Go's decoder reports the position of the first invalid byte.
    throw refuse(jsonSyntaxProblem(bytes.toString('latin1')), cause)
  }
  const { v, rv, start } = (token ?? {}) as { v?: unknown; rv?: unknown; start?: unknown }
  if (v !== 'meta.k8s.io/v1') {
    throw refuse(`server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`)
  }
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0) {
    throw refuse('incorrect encoded start resourceVersion (version meta.k8s.io/v1)')
  }
  if (typeof start !== 'string' || start === '') {
    throw refuse('encoded start key empty (version meta.k8s.io/v1)')
  }
  const after = start.endsWith('\0') ? start.slice(0, -1) : start
  if (after.split('/').some((part) => part === '..' || part === '.')) throw refuse(after)
  return { revision: rv, after }
}

function refuse(why: string, cause?: unknown): Error {
  const error = badRequest(`invalid continue token: continue key is not valid: ${why}`)
  error.cause = cause
  return error
}
