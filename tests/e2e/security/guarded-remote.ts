import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** A Git remote over HTTP that requires the token. */
export interface GuardedRemote {
  readonly url: string
  branches(): string[]
  stop(): void
}

const env = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Somebody',
  GIT_AUTHOR_EMAIL: 'somebody@example.com',
  GIT_COMMITTER_NAME: 'Somebody',
  GIT_COMMITTER_EMAIL: 'somebody@example.com',
}

export async function startGuardedRemote(folder: string, token: string): Promise<GuardedRemote> {
  const bare = join(folder, 'owner', 'app.git')
  mkdirSync(bare, { recursive: true })
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' })
  git(bare, 'init', '--quiet', '--bare', '--initial-branch=main')
  git(bare, 'config', 'http.receivepack', 'true')
  git(folder, 'clone', '--quiet', bare, 'seed')
  writeFileSync(join(folder, 'seed', 'README.md'), '# App\n')
  git(join(folder, 'seed'), 'add', '--all')
  git(join(folder, 'seed'), 'commit', '--quiet', '--message=Begin')
  git(join(folder, 'seed'), 'push', '--quiet', 'origin', 'HEAD:main')
  const allowed = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`
  const server = createServer((request, response) => {
    if (request.headers.authorization === allowed) serve(folder, request, response)
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    branches: () => git(bare, 'for-each-ref', '--format=%(refname:short)').trim().split('\n'),
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function serve(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: env.PATH,
      GIT_PROJECT_ROOT: root,
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
  backend.stdin.on('error', () => undefined)
  const chunks: Buffer[] = []
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  backend.stdout.on('end', () => {
    const answer = Buffer.concat(chunks)
    const split = answer.indexOf('\r\n\r\n')
    const lines = answer.toString('latin1', 0, split).split('\r\n')
    const pairs = lines.map((line) => line.split(': ') as [string, string])
    const status = pairs.find(([name]) => name === 'Status')?.[1] ?? '200'
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(pairs))
    response.end(answer.subarray(split + 4))
  })
}
