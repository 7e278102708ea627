import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface ProcessCount {
  /** Started by the operator itself. */
  readonly own: number
  /** With those that they started, on the side of the repository too. */
  readonly all: number
}

/** A `git` that notes each process that it becomes, and those below it, in Git's own trace. */
export class GitProcesses {
  readonly #log: string
  /** To be put in front of where programs are searched. */
  readonly directory: string

  private constructor(directory: string) {
    this.directory = directory
    this.#log = join(directory, 'trace')
  }

  static async create(directory: string, path: string): Promise<GitProcesses> {
    const counted = new GitProcesses(directory)
    await mkdir(directory)
    const script = `#!/bin/sh\nPATH='${path}' GIT_TRACE2_EVENT='${counted.#log}' exec git "$@"\n`
    await writeFile(join(directory, 'git'), script)
    await chmod(join(directory, 'git'), 0o755)
    return counted
  }

  /** Since they were counted last. */
  async count(): Promise<ProcessCount> {
    const lines = (await readFile(this.#log, 'utf8').catch(() => '')).split('\n')
    await writeFile(this.#log, '')
    const starts = lines
      .filter((line) => line.startsWith('{"event":"start"'))
      .map((line) => JSON.parse(line) as { readonly sid: string })
    return { own: starts.filter(({ sid }) => !sid.includes('/')).length, all: starts.length }
  }
}
