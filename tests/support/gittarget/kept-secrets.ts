import { spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import type { KubeClient } from '@agents/kube'
import { commandLinesWith, filesWith } from '../../../packages/git/src/testing/secret-scan.ts'

/** Values that may exist only in the Secrets of the cluster, and the scans that search for them elsewhere. */
export class KeptSecrets {
  readonly #words = new Set<string>()

  /**
   * Adds the values of a Secret, plain and as the API encodes them, except public parts such as a user name or a CA
   * certificate.
   */
  add(values: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(values)) {
      if (publicParts.has(name)) continue
      const lines = value.split('\n').filter((line) => !line.startsWith('-----'))
      for (const line of lines) this.#addWord(line.trim())
      this.#addWord(Buffer.from(value).toString('base64'))
    }
  }

  #addWord(word: string): void {
    if (word.length >= shortest) this.#words.add(word)
  }

  get words(): readonly string[] {
    return [...this.#words, ...identities]
  }

  /** The secret values that the text contains. */
  in(text: string): string[] {
    return this.words.filter((word) => text.includes(word))
  }

  /** Command lines of this process's descendants that contain a secret value. Other processes are not under test. */
  async inCommandLines(): Promise<string[]> {
    return commandLinesWith(this.words, await descendants(process.pid))
  }

  /** Files below a directory that contain a secret value, and repositories whose objects do. */
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

  /** Searches what the API returns to every user who may read our kinds and events. */
  async inStatus(client: KubeClient): Promise<string[]> {
    const group = '/apis/gitops.proompteng.ai/v1alpha1'
    const kinds = ['gitproviders', 'gittargets', 'watchrules', 'clusterwatchrules']
    const paths = [...kinds.map((plural) => `${group}/${plural}`), '/api/v1/events']
    const answers = await Promise.all(paths.map((path) => client.request({ path })))
    return answers.flatMap(({ bytes }) => this.in(bytes.toString('utf8')))
  }
}

/** Shorter values would match by chance. */
const shortest = 10
const publicParts = new Set(['known_hosts', 'ca.crt', 'username'])
/** The prefix of every age identity, plain and in base64. */
const identities = ['AGE-SECRET-KEY-1', 'QUdFLVNFQ1JFVC1LRVkt']

async function descendants(pid: number): Promise<string[]> {
  // Only Linux has this layout of /proc.
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

async function repositoriesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isDirectory() && entry.name === 'objects')
    .map((entry) => entry.parentPath)
}

/** All objects of the repository, uncompressed, including unreachable ones. */
function objectsOf(repository: string): string {
  const { stdout } = spawnSync('git', ['cat-file', '--batch-all-objects', '--batch'], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', GIT_DIR: repository },
    maxBuffer: 2 ** 30,
  })
  return stdout.toString('latin1')
}
