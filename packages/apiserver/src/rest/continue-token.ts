import { badRequest } from '../endpoints/api-error.ts'

export interface ContinueToken {
  /** The snapshot that the pages come from; -1: whatever is newest, after the snapshot expired. */
  readonly revision: number
  /** The last key that was sent, below the prefix of the list. */
  readonly after: string
}

export function encodeContinue({ revision, after }: ContinueToken): string {
  // The start is the first possible key after the last one sent.
  const token = { v: 'meta.k8s.io/v1', rv: revision, start: `${after}\0` }
  return Buffer.from(JSON.stringify(token)).toString('base64url')
}

export function decodeContinue(text: string): ContinueToken {
  if (!/^[A-Za-z0-9_-]*$/.test(text))
    throw badRequest('continue key is not valid: illegal base64 data')
  let token: unknown
  try {
    token = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw badRequest(`continue key is not valid: ${why}`)
  }
  const { v, rv, start } = (token ?? {}) as { v?: unknown; rv?: unknown; start?: unknown }
  if (v !== 'meta.k8s.io/v1') {
    throw badRequest(
      'continue key is not valid: server does not recognize this encoded version "" (400)',
    )
  }
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0) {
    throw badRequest(
      'continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    )
  }
  if (typeof start !== 'string' || start === '') {
    throw badRequest(
      'continue key is not valid: encoded start key empty or missing (version meta.k8s.io/v1)',
    )
  }
  const after = start.endsWith('\0') ? start.slice(0, -1) : start
  if (after.split('/').some((part) => part === '..' || part === '.')) {
    throw badRequest(`continue key is not valid: ${after}`)
  }
  return { revision: rv, after }
}
