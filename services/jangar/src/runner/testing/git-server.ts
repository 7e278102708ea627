import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

interface GitServer {
  readonly url: string
  /** The Authorization headers that came, in order. */
  readonly seen: readonly (string | undefined)[]
}

/** Serves bare repositories over HTTP with git's own backend to clients that send the token. */
export async function startGitServer(remotes: string, authorization: string): Promise<GitServer> {
  const seen: (string | undefined)[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization)
    if (request.headers.authorization === authorization) serve(remotes, request, response)
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

function serve(remotes: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      GIT_PROJECT_ROOT: remotes,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      REMOTE_USER: 'somebody',
      CONTENT_TYPE: request.headers['content-type'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined,
    },
  })
  request.pipe(backend.stdin)
  const chunks: Buffer[] = []
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  backend.stdout.on('end', () => {
    const answer = Buffer.concat(chunks)
    const split = answer.indexOf('\r\n\r\n')
    const headers = answer.toString('latin1', 0, split).split('\r\n')
    const pairs = headers.map((line) => line.split(': ') as [string, string])
    const status = pairs.find(([name]) => name === 'Status')?.[1] ?? '200'
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(pairs))
    response.end(answer.subarray(split + 4))
  })
}
