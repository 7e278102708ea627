import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

interface PushStages {
  readonly pushes: number
  /** Processes that the pushing process started itself. */
  readonly ownProcesses: number
  /** Including those that they started, also on the side of the repository. */
  readonly allProcesses: number
  /** Milliseconds of `git push`, without `remoteMs`. */
  readonly clientMs: number
  /** Milliseconds from the first byte of the objects until the repository moved the branch, which is not our time. */
  readonly remoteMs: number
}

/** A `git` that records in its trace which processes it starts and when, and optionally what it sends. */
export class GitStages {
  readonly #trace: string
  readonly #sent: string
  /** To be prepended to the PATH. */
  readonly directory: string

  private constructor(directory: string) {
    this.directory = directory
    this.#trace = join(directory, 'trace')
    this.#sent = join(directory, 'sent')
  }

  static async create(directory: string, path: string): Promise<GitStages> {
    const stages = new GitStages(directory)
    const programs = join(directory, 'programs')
    await mkdir(programs, { recursive: true })
    const { stdout } = await execute('git', ['--exec-path'])
    const real = stdout.trim()
    for (const name of await readdir(real)) await symlink(join(real, name), join(programs, name))
    const receiver = join(programs, 'git-receive-pack')
    await rm(receiver)
    const sent = stages.#sent
    await writeProgram(
      receiver,
      `unset GIT_EXEC_PATH
[ -e '${sent}' ] || exec '${real}/git-receive-pack' "$@"
tee -a '${sent}' | '${real}/git-receive-pack' "$@"`,
    )
    const settings = `PATH='${path}' GIT_EXEC_PATH='${programs}' GIT_TRACE2_EVENT='${stages.#trace}'`
    await writeProgram(join(directory, 'git'), `${settings} exec git "$@"`)
    return stages
  }

  /** The stages since the last call. */
  async take(): Promise<PushStages> {
    const lines = (await readFile(this.#trace, 'utf8').catch(() => '')).split('\n')
    await writeFile(this.#trace, '')
    const events = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as TraceEvent)
    const starts = events.filter(({ event }) => event === 'start')
    const pushes = starts.filter(({ argv }) => argv?.[1] === 'push').map(({ sid }) => sid)
    const pushMs = pushes.reduce((sum, sid) => sum + lasted(events, sid), 0)
    const receivers = starts.filter(({ argv }) => argv?.[0]?.endsWith('git-receive-pack'))
    const remoteMs = receivers.reduce((sum, { sid }) => sum + receiving(events, sid), 0)
    return {
      pushes: pushes.length,
      ownProcesses: starts.filter(({ sid }) => !sid.includes('/')).length,
      allProcesses: starts.length,
      clientMs: pushMs - remoteMs,
      remoteMs,
    }
  }

  /** Bytes that are sent meanwhile. Counting takes time. */
  async bytesSent(work: () => Promise<void>): Promise<number> {
    await writeFile(this.#sent, '')
    await work()
    const { length } = await readFile(this.#sent)
    await rm(this.#sent)
    return length
  }
}

/** The parts of Git's trace that are used. */
interface TraceEvent {
  readonly event: string
  readonly sid: string
  readonly time: string
  readonly argv?: readonly string[]
}

async function writeProgram(path: string, body: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${body}\n`)
  await chmod(path, 0o755)
}

function lasted(events: readonly TraceEvent[], sid: string): number {
  const own = events.filter((event) => event.sid === sid)
  return between(own[0], own.at(-1))
}

/** Milliseconds since the first objects arrived, when the repository starts the unpacking program. */
function receiving(events: readonly TraceEvent[], sid: string): number {
  const own = events.filter((event) => event.sid === sid)
  const begins = ({ event, argv = [] }: TraceEvent): boolean =>
    event === 'child_start' &&
    argv.some((word) => word === 'unpack-objects' || word === 'index-pack')
  return between(own.find(begins), own.at(-1))
}

/** Milliseconds. The trace has microseconds, which `Date` does not support. */
function between(from: TraceEvent | undefined, to: TraceEvent | undefined): number {
  return from === undefined || to === undefined ? 0 : instant(to.time) - instant(from.time)
}

function instant(time: string): number {
  const [whole = '', fraction = '0'] = time.replace('Z', '').split('.')
  return Date.parse(`${whole}Z`) + Number(`0.${fraction}`) * 1000
}
