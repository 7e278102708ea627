/** The token of an `Authorization` header. Undefined if it has none, or characters that no token has. */
export function bearerToken(header: string | null | undefined): string | undefined {
  if (header === null || header === undefined || header.length > longestHeader) return undefined
  return /^bearer +([\x21-\x7e]+)$/i.exec(header)?.[1]
}

/** Longer than any token; tokens of OIDC providers with many groups have some kilobytes. */
const longestHeader = 32 * 1024

/** When a JWT expires. Other tokens do not say. The signature is not checked: only the cluster accepts a token. */
export function tokenExpiry(token: string): Date | undefined {
  const [, body, , ...rest] = token.split('.')
  if (body === undefined || rest.length > 0) return undefined
  try {
    const { exp } = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as { exp?: unknown }
    return typeof exp === 'number' ? new Date(exp * 1000) : undefined
  } catch {
    // The token is no JWT; the cluster may accept it all the same.
    return undefined
  }
}
