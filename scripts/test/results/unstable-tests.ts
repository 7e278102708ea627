import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Failure } from '../failure.ts'

/** A test that failed and passed when it was repeated. */
interface UnstableTest {
  readonly where: string
  readonly file: string
  /** The digest of the test's file: a change of it is taken for the repair. */
  readonly digest: string
  readonly last: string
  readonly times: number
}

/** The tests that have failed now and then, outside of the checkout. A test stays listed until its file changes. */
export class UnstableTests {
  readonly #path: string
  readonly #root: string

  constructor(path: string, root: string) {
    this.#path = path
    this.#root = root
  }

  async add(failures: readonly Failure[]): Promise<void> {
    if (failures.length === 0) return
    const tests = new Map((await this.#read()).map((test) => [test.where, test]))
    for (const { where, file } of failures) {
      if (file === undefined) continue
      const times = (tests.get(where)?.times ?? 0) + 1
      const digest = await this.#digest(file)
      tests.set(where, { where, file, digest, last: new Date().toISOString(), times })
    }
    await mkdir(dirname(this.#path), { recursive: true })
    await writeFile(`${this.#path}.partial`, JSON.stringify([...tests.values()]))
    await rename(`${this.#path}.partial`, this.#path)
  }

  /** The tests of earlier runs, without those that `reported` names already. */
  async lines(reported: readonly Failure[]): Promise<string[]> {
    const lines: string[] = []
    for (const { where, file, digest, last, times } of await this.#read()) {
      if (reported.some((failure) => failure.where === where)) continue
      if ((await this.#digest(file)) !== digest) continue
      lines.push(`  ${where} (${times}×, last on ${last.slice(0, 10)})`)
    }
    return lines.length === 0 ? [] : ['unstable in earlier runs, and unchanged since:', ...lines]
  }

  async #read(): Promise<readonly UnstableTest[]> {
    try {
      return JSON.parse(await readFile(this.#path, 'utf8'))
    } catch {
      return []
    }
  }

  async #digest(file: string): Promise<string> {
    const content = await readFile(join(this.#root, file)).catch(() => '')
    return createHash('sha256').update(content).digest('hex')
  }
}
