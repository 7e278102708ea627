import { spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import type { KubeClient } from '@agents/kube'
import { commandLinesWith, filesWith } from '../../packages/git/src/testing/secret-scan.ts'

/** Everything that must be nowhere but in the Secrets of the cluster, and where to look for it. */
export class KeptSecrets {
  readonly #words = new Set<string>()

  /** The values of a Secret, as they are and as the API has them. What everybody may know, or anybody could write, is none. */
  add(values: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(values)) {
      if (PUBLIC.has(name)) continue
      const lines = value.split('\n').filter((line) => !line.startsWith('-----'))
      for (const line of lines) this.#addWord(line.trim())
      this.#addWord(Buffer.from(value).toString('base64'))
    }
  }

  #addWord(word: string): void {
    if (word.length >= SHORTEST) this.#words.add(word)
  }

  get words(): readonly string[] {
    return [...this.#words, ...IDENTITIES]
  }

  /** The words that a text gives away. */
  in(text: string): string[] {
    return this.words.filter((word) => text.includes(word))
  }

  /** Command lines of this process's descendants that give something away: others may be about something else. */
  async inCommandLines(): Promise<string[]> {
    return commandLinesWith(this.words, await descendants(process.pid))
  }

  /** Files below a directory that give something away, and repositories whose contents do. */
  async inFiles(directory: string): Promise<string[]> {
    const repositories = await repositoriesBelow(directory)
    return [
      ...(await filesWith(directory, this.words)),
      ...repositories.filter((repository) => this.inRepository(repository).length > 0),
    ]
  }

  inRepository(repository: string): string[] {
    return this.in(objectsOf(repository))
  }

  /** What the API shows to everybody who may look at our kinds and at events. */
  async inStatus(client: KubeClient): Promise<string[]> {
    const group = '/apis/gitops.proompteng.ai/v1alpha1'
    const kinds = ['gitproviders', 'gittargets', 'watchrules', 'clusterwatchrules']
    const paths = [...kinds.map((plural) => `${group}/${plural}`), '/api/v1/events']
    const answers = await Promise.all(paths.map((path) => client.request({ path })))
    return answers.flatMap(({ bytes }) => this.in(bytes.toString('utf8')))
  }
}

/** Shorter texts are found by chance. */
const SHORTEST = 10
const PUBLIC = new Set(['known_hosts', 'ca.crt', 'username'])
/** How every age identity begins, and how it does in a Secret. */
const IDENTITIES = ['AGE-SECRET-KEY-1', 'QUdFLVNFQ1JFVC1LRVkt']

const descendants = async (pid: number): Promise<string[]> => {
  // Only Linux shows them so.
  const names = await readdir('/proc').catch(() => [])
  const pids = names.filter((name) => /^\d+$/.test(name))
  const parents = await Promise.all(
    pids.map(async (child) => {
      const stat = await readFile(`/proc/${child}/stat`, 'utf8').catch(() => '')
      return [child, /\) \S (\d+)/.exec(stat)?.[1] ?? ''] as const
    }),
  )
  const found = [String(pid)]
  for (const known of found) {
    found.push(...parents.filter(([, parent]) => parent === known).map(([child]) => child))
  }
  return found
}

const repositoriesBelow = async (directory: string): Promise<string[]> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isDirectory() && entry.name === 'objects')
    .map((entry) => entry.parentPath)
}

/** Also what no branch leads to, uncompressed. */
const objectsOf = (repository: string): string => {
  const { stdout } = spawnSync('git', ['cat-file', '--batch-all-objects', '--batch'], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', GIT_DIR: repository },
    maxBuffer: 2 ** 30,
  })
  return stdout.toString('latin1')
}
