import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** A run of a suite in which everything passed at the first try. */
export interface KeptResult {
  readonly suite: string
  readonly passed: number
  readonly seconds: number
  /** When the run ended. */
  readonly at: string
}

/** The newest results of each suite that are kept. */
const mostKept = 50

/** Results of suites by their key, outside of the checkout: a new clone finds them, too. */
export class KeptResults {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async find(suite: string, key: string): Promise<KeptResult | undefined> {
    const text = await readFile(this.#path(suite, key), 'utf8').catch(() => undefined)
    if (text === undefined) return undefined
    try {
      const { result, digest } = JSON.parse(text)
      // A file that was cut off or edited is no result.
      return digest === digestOf(key, result) ? result : undefined
    } catch {
      return undefined
    }
  }

  async keep(key: string, result: KeptResult): Promise<void> {
    const path = this.#path(result.suite, key)
    await mkdir(this.#folderOf(result.suite), { recursive: true })
    const partial = `${path}.${process.pid}.partial`
    await writeFile(partial, JSON.stringify({ result, digest: digestOf(key, result) }))
    await rename(partial, path)
    await this.#removeOld(result.suite)
  }

  async #removeOld(suite: string): Promise<void> {
    const folder = this.#folderOf(suite)
    const names = (await readdir(folder)).filter((name) => name.endsWith('.json'))
    const dated = await Promise.all(
      names.map(async (name) => {
        const found = await this.find(suite, name.slice(0, -'.json'.length))
        return { name, at: found?.at ?? '' }
      }),
    )
    const old = dated.toSorted((a, b) => b.at.localeCompare(a.at)).slice(mostKept)
    await Promise.all(old.map(({ name }) => rm(join(folder, name), { force: true })))
  }

  #path(suite: string, key: string): string {
    return join(this.#folderOf(suite), `${key}.json`)
  }

  #folderOf(suite: string): string {
    return join(this.#folder, suite.replaceAll('/', '-'))
  }
}

/** Beside the testbed that long tests build. */
export function keptResultsFolder(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'agents-test-results')
}

function digestOf(key: string, result: KeptResult): string {
  return createHash('sha256').update(key).update(JSON.stringify(result)).digest('hex')
}
