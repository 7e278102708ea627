/** The token of an `Authorization` header. Undefined if it has none, or characters that no token has. */
export function bearerToken(header: string | null | undefined): string | undefined {
  if (header === null || header === undefined || header.length > longestHeader) return undefined
  return /^bearer +([\x21-\x7e]+)$/i.exec(header)?.[1]
}

/** Longer than any token; tokens of OIDC providers with many groups have some kilobytes. */
const longestHeader = 32 * 1024
