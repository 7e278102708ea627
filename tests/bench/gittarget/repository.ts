import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** The repository that is pushed to, observed from outside. */
export class BenchRepository {
  readonly directory: string

  private constructor(directory: string) {
    this.directory = directory
  }

  static async create(directory: string): Promise<BenchRepository> {
    await execute('git', ['init', '-q', '--bare', '-b', 'main', '--template=', directory])
    const repository = new BenchRepository(directory)
    // A garbage collection would be measured as a slow push.
    await repository.git('config', 'receive.autogc', 'false')
    // As on common servers.
    await repository.git('config', 'uploadpack.allowFilter', 'true')
    return repository
  }

  /** Reads the file of the branch: a process would be measured too. */
  async tip(): Promise<string> {
    return (await readFile(join(this.directory, 'refs/heads/main'), 'utf8').catch(() => '')).trim()
  }

  async commits(): Promise<number> {
    if ((await this.tip()) === '') return 0
    return Number(await this.git('rev-list', '--count', 'main', '--'))
  }

  async file(path: string): Promise<string> {
    return this.git('cat-file', 'blob', `main:${path}`).catch(() => '')
  }

  async git(...args: string[]): Promise<string> {
    const env = { ...process.env, GIT_DIR: this.directory }
    const { stdout } = await execute('git', args, { env, maxBuffer: 2 ** 28 })
    return stdout.trim()
  }
}
