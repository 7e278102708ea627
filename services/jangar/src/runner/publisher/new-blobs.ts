import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { RunFailure } from '../../run-contract/run-failure.ts'
import { findTokens, longestToken } from '../../run-contract/secrets/token-formats.ts'
import { localEnvironment } from '../vcs/git-environment.ts'
import type { GitPlace } from './git-output.ts'

export interface Suspicion {
  readonly path: string
  readonly what: string
  readonly value: string
}

export interface NewContent {
  /** Of all versions of all files in the new commits. */
  readonly bytes: number
  /** Tokens in new files and messages of commits. May be in the repository already. */
  readonly suspicions: readonly Suspicion[]
}

const mostSuspicions = 100

/** Reads every new object once. */
export async function readNewContent(
  { gitFolder, env }: GitPlace,
  commit: string,
  known: readonly string[],
): Promise<NewContent> {
  const childEnv = { ...localEnvironment(env), GIT_DIR: gitFolder }
  const listed = ['rev-list', '--objects', commit, ...known.map((one) => `^${one}`)]
  const list = spawn('git', listed, { env: childEnv, stdio: ['ignore', 'pipe', 'ignore'] })
  const format = '--batch=%(objecttype) %(objectsize) %(rest)'
  const read = spawn('git', ['cat-file', format, '--buffer'], {
    env: childEnv,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ends = Promise.all([once(list, 'close'), once(read, 'close')])
  read.stdin.on('error', () => undefined)
  list.stdout.pipe(read.stdin)
  const reader = new ContentReader()
  for await (const chunk of read.stdout) reader.take(chunk as Buffer)
  const codes = (await ends).map(([code]) => code as number | null)
  if (codes.every((code) => code === 0)) return reader.result()
  throw new RunFailure('PublishRefused', 'the submitted commits are incomplete; nothing was pushed')
}

/** Reads the output of `cat-file --batch`: a line about each object, its content, and the end of a line. */
class ContentReader {
  #bytes = 0
  readonly #suspicions: Suspicion[] = []
  #rest: Buffer = Buffer.alloc(0)
  #object: { type: string; path: string; left: number; tail: string } | undefined

  take(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    while (this.#step());
  }

  result(): NewContent {
    return { bytes: this.#bytes, suspicions: this.#suspicions }
  }

  /** Whether there may be more to do. */
  #step(): boolean {
    if (this.#object === undefined) return this.#header()
    const object = this.#object
    const piece = this.#rest.subarray(0, object.left)
    this.#rest = this.#rest.subarray(piece.length)
    object.left -= piece.length
    this.#search(object, piece)
    if (object.left > 0 || this.#rest.length === 0) return false
    this.#rest = this.#rest.subarray(1)
    this.#object = undefined
    return true
  }

  #header(): boolean {
    const end = this.#rest.indexOf(10)
    if (end < 0) return false
    const line = this.#rest.subarray(0, end).toString('utf8')
    this.#rest = this.#rest.subarray(end + 1)
    const [, type = '', size = '0', path = ''] = /^(\w+) (\d+) ?(.*)$/s.exec(line) ?? []
    if (type === 'blob') this.#bytes += Number(size)
    this.#object = { type, path, left: Number(size), tail: '' }
    return true
  }

  #search(object: { type: string; path: string; tail: string }, piece: Buffer): void {
    if (object.type === 'tree' || this.#suspicions.length >= mostSuspicions) return
    const text = `${object.tail}${piece.toString('latin1')}`
    for (const { what, value } of findTokens(text)) {
      const path = object.type === 'blob' ? object.path : ''
      if (this.#suspicions.length < mostSuspicions) this.#suspicions.push({ path, what, value })
    }
    object.tail = text.slice(-longestToken)
  }
}
