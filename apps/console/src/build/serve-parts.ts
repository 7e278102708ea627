import { join } from 'node:path'

interface PartsServer {
  /** Of the page with all parts. */
  readonly url: string
  close(): Promise<void>
}

/** Serves the page with all parts from their sources, to this machine only. It changes as they do. */
export async function serveParts(cacheDir?: string): Promise<PartsServer> {
  const { createServer } = await import('vite')
  const server = await createServer({
    root: join(import.meta.dirname, '..', '..'),
    configFile: false,
    logLevel: 'error',
    ...(cacheDir !== undefined && { cacheDir }),
    server: { host: '127.0.0.1', port: 0 },
  })
  await server.listen()
  const [address] = server.resolvedUrls?.local ?? []
  if (address === undefined) throw new Error('the server of the parts has no address')
  return { url: new URL('/parts', address).href, close: () => server.close() }
}
