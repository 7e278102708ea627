import { KubeError, OwnershipError } from '@agents/kube'

/** The result of a request, or why the server refuses it as it is. */
export async function orRefusal<T>(request: Promise<T>): Promise<T | string> {
  try {
    return await request
  } catch (error) {
    if (!isRefusal(error)) throw error
    return error.message.replace(/^[A-Z]+ \S+: /, '')
  }
}

/** Another attempt is pointless until somebody changes something. */
function isRefusal(error: unknown): error is Error {
  if (error instanceof OwnershipError) return true
  if (!(error instanceof KubeError)) return false
  const { code } = error
  return code >= 400 && code < 500 && code !== 409 && code !== 429
}
