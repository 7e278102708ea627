import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ChildProgram, startProgram } from '../testbed/child-program.ts'
import { freePort } from '../testbed/free-port.ts'
import { until } from '../testbed/until.ts'
import { ensureGitea, type GiteaProgram } from './gitea-program.ts'

const run = promisify(execFile)

/** A real Gitea with SQLite on a loopback port. */
export interface Gitea {
  readonly url: string
  /**
   * Returns a new token of the user, by default with all rights that the user has. A user who does not exist is added;
   * the first one is the administrator.
   */
  user(
    name: string,
    options?: { readonly admin?: boolean; readonly scopes?: string },
  ): Promise<string>
  /** A request to its API; throws if it is not a success. */
  api<T = unknown>(token: string, method: string, path: string, body?: object): Promise<T>
  /** Ends the process without a warning. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

export async function startGitea(env: NodeJS.ProcessEnv): Promise<Gitea> {
  const program = await ensureGitea(env)
  const directory = await mkdtemp(join(tmpdir(), 'agents-gitea-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const config = await writeConfig(directory, port, program)
  const base = ['--config', config, '--work-path', directory]
  let child: ChildProgram | undefined
  const start = async () => {
    const args = [...base, 'web', '--quiet']
    const started = await startProgram('gitea', program.path, args, join(directory, 'log'))
    child = started
    await until(async () => {
      const ended = started.exited()
      if (ended !== undefined) throw new Error(`gitea ${ended}:\n${await started.logTail()}`)
      return isUp(url)
    }, 'gitea did not start')
  }
  await start()
  let administrator: string | undefined
  const passwords = new Map<string, string>()
  const createUser = async (name: string, admin: boolean): Promise<string> => {
    const password = randomBytes(12).toString('hex')
    if (administrator === undefined) {
      if (!admin) throw new Error('the first user of a Gitea is its administrator')
      // Only the program itself can make the first one; it takes as long as a start of Gitea.
      const user = ['--username', name, '--password', password, '--email', `${name}@example.test`]
      const flags = ['--must-change-password=false', '--admin']
      await run(program.path, [...base, 'admin', 'user', 'create', ...user, ...flags])
      administrator = await createToken(url, { name, password, scopes: 'all' })
      return password
    }
    const authorization = `token ${administrator}`
    const created = { username: name, email: `${name}@example.test`, password }
    const body = { ...created, must_change_password: false }
    await giteaRequest(url, { authorization, method: 'POST', path: '/admin/users', body })
    if (admin) {
      const change = { source_id: 0, login_name: name, admin }
      const path = `/admin/users/${name}`
      await giteaRequest(url, { authorization, method: 'PATCH', path, body: change })
    }
    return password
  }
  return {
    url,
    user: async (name, { admin = false, scopes = 'all' } = {}) => {
      const password = passwords.get(name) ?? (await createUser(name, admin))
      passwords.set(name, password)
      return createToken(url, { name, password, scopes })
    },
    api: (token, method, path, body) =>
      giteaRequest(url, { authorization: `token ${token}`, method, path, body }),
    kill: async () => child?.stop('SIGKILL'),
    start,
    stop: async () => {
      await child?.stop('SIGTERM', 2000)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function writeConfig(
  directory: string,
  port: number,
  { staticRoot }: GiteaProgram,
): Promise<string> {
  const custom = join(directory, 'custom')
  await mkdir(custom, { recursive: true })
  const path = join(custom, 'app.ini')
  const secret = () => randomBytes(32).toString('hex')
  await writeFile(
    path,
    [
      // Containers of CI are root.
      'I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true',
      'RUN_MODE = prod',
      '[server]',
      'HTTP_ADDR = 127.0.0.1',
      `HTTP_PORT = ${port}`,
      `ROOT_URL = http://127.0.0.1:${port}/`,
      'DISABLE_SSH = true',
      'OFFLINE_MODE = true',
      `STATIC_ROOT_PATH = ${staticRoot}`,
      `LFS_JWT_SECRET = ${randomBytes(32).toString('base64url')}`,
      '[database]',
      'DB_TYPE = sqlite3',
      `PATH = ${join(directory, 'gitea.db')}`,
      '[repository]',
      `ROOT = ${join(directory, 'repositories')}`,
      'DEFAULT_BRANCH = main',
      '[security]',
      'INSTALL_LOCK = true',
      `SECRET_KEY = ${secret()}`,
      `INTERNAL_TOKEN = ${secret()}`,
      '[webhook]',
      'ALLOWED_HOST_LIST = loopback',
      'DELIVER_TIMEOUT = 5',
      '[oauth2]',
      'ENABLED = false',
      '[service]',
      'DISABLE_REGISTRATION = true',
      '[indexer]',
      'ISSUE_INDEXER_TYPE = db',
      '[actions]',
      'ENABLED = false',
      '[packages]',
      'ENABLED = false',
      '[mailer]',
      'ENABLED = false',
      '[log]',
      'LEVEL = Warn',
      '',
    ].join('\n'),
    { mode: 0o600 },
  )
  return path
}

async function isUp(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/api/v1/version`)).ok
  } catch {
    return false
  }
}

interface Account {
  readonly name: string
  readonly password: string
  readonly scopes: string
}

let tokens = 0

async function createToken(url: string, { name, password, scopes }: Account): Promise<string> {
  tokens += 1
  const authorization = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
  const body = { name: `test-${tokens}`, scopes: scopes.split(',') }
  const path = `/users/${name}/tokens`
  const made = await giteaRequest<{ readonly sha1: string }>(url, {
    ...{ authorization, method: 'POST', path, body },
  })
  return made.sha1
}

interface GiteaRequest {
  readonly authorization: string
  readonly method: string
  readonly path: string
  readonly body?: object | undefined
}

/** A request to the API of a Gitea; throws if it is not a success. */
export async function giteaRequest<T>(
  url: string,
  { authorization, method, path, body }: GiteaRequest,
): Promise<T> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status}: ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as T
}
