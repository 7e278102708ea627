/** The host and credentials of a store, parsed from a connection string. */
export interface StoreAddress {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  /** Without the leading slash. */
  readonly path: string
  readonly scheme: string
  readonly options: URLSearchParams
}

/**
 * Undefined if the text is not a valid address with one of these schemes. Socket paths are invalid, since they would
 * refer to sockets of the controller's host.
 */
export function readStoreAddress(
  text: string,
  defaultPorts: Readonly<Record<string, number>>,
): StoreAddress | undefined {
  const url = URL.parse(text.trim())
  if (!url) return undefined
  const scheme = url.protocol.slice(0, -1)
  const defaultPort = Object.hasOwn(defaultPorts, scheme) ? defaultPorts[scheme] : undefined
  const host = decoded(url.hostname)?.replace(/^\[|\]$/g, '')
  const user = decoded(url.username)
  const password = decoded(url.password)
  const path = decoded(url.pathname.slice(1))
  if (defaultPort === undefined || !host || host.includes('/')) return undefined
  if (user === undefined || password === undefined || path === undefined) return undefined
  const port = url.port === '' ? defaultPort : Number(url.port)
  return { host, port, user, password, path, scheme, options: url.searchParams }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
