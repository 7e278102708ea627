import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const env = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'somebody',
  GIT_AUTHOR_EMAIL: 'somebody@example.test',
  GIT_COMMITTER_NAME: 'somebody',
  GIT_COMMITTER_EMAIL: 'somebody@example.test',
}

/** A bare repository in a temporary directory, and other people's hands on it. */
export class BareRemote {
  readonly directory: string
  readonly path: string

  private constructor(directory: string) {
    this.directory = directory
    this.path = join(directory, 'repository.git')
  }

  static async create(): Promise<BareRemote> {
    const remote = new BareRemote(await mkdtemp(join(tmpdir(), 'agents-git-test-')))
    await remote.init()
    return remote
  }

  get url(): string {
    return `file://${this.path}`
  }

  async init(): Promise<void> {
    await rm(this.path, { recursive: true, force: true })
    await run('git', ['init', '-q', '--bare', '-b', 'main', '--template=', this.path], { env })
    await this.git('config', 'uploadpack.allowFilter', 'true')
    await this.git('config', 'http.receivepack', 'true')
  }

  async git(...args: string[]): Promise<string> {
    const { stdout } = await run('git', args, {
      env: { ...env, GIT_DIR: this.path },
      maxBuffer: 256 * 1024 * 1024,
    })
    return stdout.replace(/\n$/, '')
  }

  /** Somebody commits these files on top of the branch, all else kept, and returns the commit. */
  async commit(
    branch: string,
    files: Readonly<Record<string, string>>,
    message = 'theirs',
  ): Promise<string> {
    const ref = `refs/heads/${branch}`
    const parent = await this.tip(branch)
    const from = parent === undefined ? '' : `from ${ref}^0\n`
    const entries = Object.entries(files).map(
      ([path, text]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    )
    const head = [
      `commit ${ref}`,
      'committer somebody <somebody@example.test> 1700000000 +0000',
      `data ${Buffer.byteLength(message)}`,
      message,
    ]
    const stream = `${head.join('\n')}\n${from}${entries.join('')}\n`
    await this.fastImport(stream)
    return (await this.tip(branch)) ?? ''
  }

  fastImport(stream: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const child = execFile(
        'git',
        ['fast-import', '--quiet', '--force'],
        { env: { ...env, GIT_DIR: this.path } },
        (error) => (error === null ? resolve() : reject(error)),
      )
      child.stdin?.end(stream)
    })
  }

  async tip(branch: string): Promise<string | undefined> {
    return this.git('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`).catch(
      () => undefined,
    )
  }

  /** The branch's files by path, or those below some paths. */
  async files(branch: string, ...below: string[]): Promise<Record<string, string>> {
    const list = await this.git('ls-tree', '-r', '-z', '--name-only', branch, '--', ...below)
    const names = list.split('\0')
    const paths = names.filter((name) => name !== '')
    const entries = paths.map(
      async (path) => [path, await this.git('show', `${branch}:${path}`)] as const,
    )
    return Object.fromEntries(await Promise.all(entries))
  }

  /** Messages, newest first. */
  async messages(branch: string): Promise<string[]> {
    return (await this.git('log', '--format=%s', branch)).split('\n')
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true })
  }
}
