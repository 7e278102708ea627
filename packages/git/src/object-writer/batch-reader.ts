import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { GitError } from '../git-error.ts'
import { killGroup } from '../git-process/run-process.ts'

interface ReadObject {
  readonly type: string
  readonly data: Buffer
}

interface Question {
  readonly oid: string
  resolve(object: ReadObject | undefined): void
  reject(error: GitError): void
}

interface BatchReaderOptions {
  readonly timeoutMs: number
  /** A larger object is refused before its content is received. */
  readonly maxBytes: number
}

/** One `git cat-file --batch` that stays: an object costs a line to it instead of a process. */
export class BatchReader {
  readonly #start: () => ChildProcessWithoutNullStreams
  readonly #options: BatchReaderOptions
  #child: ChildProcessWithoutNullStreams | undefined
  #questions: Question[] = []
  #received: Buffer[] = []
  #receivedBytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(start: () => ChildProcessWithoutNullStreams, options: BatchReaderOptions) {
    this.#start = start
    this.#options = options
  }

  /** The object, or undefined when the repository does not hold it. */
  read(oid: string): Promise<ReadObject | undefined> {
    return new Promise((resolve, reject) => {
      this.#questions.push({ oid, resolve, reject })
      this.#watch()
      this.#running().stdin.write(`${oid}\n`)
    })
  }

  close(): void {
    this.#fail(new GitError('aborted', 'the repository was closed'))
  }

  #running(): ChildProcessWithoutNullStreams {
    if (this.#child !== undefined) return this.#child
    const child = this.#start()
    this.#child = child
    const failed = (why: string): void => {
      if (this.#child === child) this.#fail(new GitError('local', `git cat-file ${why}`))
    }
    child.stdin.on('error', () => failed('closed its input'))
    child.stderr.resume()
    child.once('error', () => failed('cannot be run'))
    child.once('close', () => failed('ended'))
    child.stdout.on('data', (chunk: Buffer) => {
      if (this.#child === child) this.#receive(chunk)
    })
    return child
  }

  #receive(chunk: Buffer): void {
    this.#received.push(chunk)
    this.#receivedBytes += chunk.length
    while (this.#questions.length > 0 && this.#answer()) this.#watch()
  }

  /** Answers the oldest question if all of its answer is here. */
  #answer(): boolean {
    const head = this.#head()
    const line = head.indexOf(0x0a)
    if (line === -1) return false
    const [, type = '', size = ''] = head.toString('latin1', 0, line).split(' ')
    if (type === 'missing') {
      this.#take(line + 1)
      this.#questions.shift()?.resolve(undefined)
      return true
    }
    const { maxBytes } = this.#options
    if (Number(size) > maxBytes) {
      const limit = `${maxBytes / 1024 / 1024} MiB`
      this.#fail(new GitError('refused', `the repository has a ${type} of more than ${limit}`))
      return false
    }
    const end = line + 1 + Number(size)
    if (this.#receivedBytes < end + 1) return false
    const bytes = this.#take(end + 1)
    // A copy: a small object must not keep the whole buffer that it arrived in.
    const data = Buffer.from(bytes.subarray(line + 1, end))
    this.#questions.shift()?.resolve({ type, data })
    return true
  }

  /** Enough of what was received to hold the first line, without joining a large object's chunks again and again. */
  #head(): Buffer {
    const [first = Buffer.alloc(0), second] = this.#received
    if (first.includes(0x0a) || second === undefined) return first
    this.#received = [Buffer.concat(this.#received)]
    return this.#received[0] ?? first
  }

  #take(length: number): Buffer {
    const all = this.#received.length === 1 ? this.#received[0] : Buffer.concat(this.#received)
    const bytes = all ?? Buffer.alloc(0)
    this.#received = bytes.length === length ? [] : [bytes.subarray(length)]
    this.#receivedBytes = bytes.length - length
    return bytes.subarray(0, length)
  }

  #watch(): void {
    clearTimeout(this.#timer)
    if (this.#questions.length === 0) return
    this.#timer = setTimeout(
      () => this.#fail(new GitError('timeout', 'git cat-file does not respond')),
      this.#options.timeoutMs,
    )
  }

  #fail(error: GitError): void {
    clearTimeout(this.#timer)
    const questions = this.#questions
    this.#questions = []
    this.#received = []
    this.#receivedBytes = 0
    killGroup(this.#child?.pid)
    this.#child = undefined
    for (const question of questions) question.reject(error)
  }
}
